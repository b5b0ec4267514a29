"""Keeps the prepared forms of long texts, which hundreds of terms of a query may read."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from backend.language.numbers import number_in
from backend.language.words import fold_case, one_spaced, spaced

LONG: Final = 1_024
"""Smallest length of a text whose prepared forms are kept, in characters, or in bytes of the result of `spaced`. A
shorter text is prepared again for each term, which takes microseconds."""

KEPT: Final = 2**24
"""Largest total length of the texts that are kept with one prepared form, in characters or bytes. A single longer text
is kept too."""

_Text = TypeVar("_Text", str, bytes)
_Form = TypeVar("_Form")


class LongTexts:
    """Prepares texts of at least LONG characters or bytes. Prepares the same object once, as long as it is kept."""

    __slots__ = ("folded", "number", "one_spaced", "spaced")

    def __init__(self) -> None:
        self.folded: Callable[[str], str] = _Kept(fold_case).form_of
        self.spaced: Callable[[str], bytes] = _Kept(spaced).form_of
        self.one_spaced: Callable[[bytes], bytes] = _Kept(one_spaced).form_of
        """Takes a result of `spaced`."""
        self.number: Callable[[str], float | None] = _Kept(number_in).form_of


class _Kept(Generic[_Text, _Form]):
    """One form of texts, by the identity of the text. To compare texts or their hashes would read them again."""

    __slots__ = ("_forms", "_length", "_prepare")

    def __init__(self, prepare: Callable[[_Text], _Form]) -> None:
        self._prepare: Callable[[_Text], _Form] = prepare
        self._forms: dict[int, tuple[_Text, _Form]] = {}
        """Texts and forms. Each text is kept with its form, so that no other text gets its identity."""
        self._length = 0

    def form_of(self, text: _Text) -> _Form:
        known = self._forms.get(id(text))
        if known is not None:
            _, form = known
            return form
        form = self._prepare(text)
        if self._length + len(text) > KEPT:
            self._forms.clear()
            self._length = 0
        self._forms[id(text)] = text, form
        self._length += len(text)
        return form
