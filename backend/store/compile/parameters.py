"""Named parameters of a statement, so that no text of a user ever becomes SQL."""

Parameter = str | int | float

_TYPES: dict[type, str] = {str: "String", int: "UInt32", float: "Float64"}


class Parameters:
    """Collects values and returns their placeholders. Equal values share one name, which begins with `prefix`.

    Parts of one statement that are compiled separately have different prefixes.
    """

    def __init__(self, prefix: str = "p") -> None:
        self._prefix = prefix
        self._names: dict[tuple[type, Parameter], str] = {}

    def add(self, value: Parameter) -> str:
        """Returns the placeholder of a value, such as `{p0:String}`. Integers are 0 to 2**32 - 1."""
        name = self._names.setdefault((type(value), value), f"{self._prefix}{len(self._names)}")
        return f"{{{name}:{_TYPES[type(value)]}}}"

    def collected(self) -> dict[str, Parameter]:
        """Returns the values by name."""
        return {name: value for (_, value), name in self._names.items()}
