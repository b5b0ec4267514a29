import pytest

from schema.control.keys import digest, key_id, make_key
from schema.control.models import Purpose


@pytest.mark.parametrize("purpose", Purpose)
def test_a_new_key_names_its_id(purpose: Purpose) -> None:
    key = make_key(purpose)
    assert key_id(key.text) == key.id
    assert digest(key.text) == key.sha256


@pytest.mark.parametrize("text", ["", "ls", "ls_query_0123", "xx_query_0123_4567", "ls_query_0123_4567_89"])
def test_a_text_of_another_form_names_none(text: str) -> None:
    assert key_id(text) is None
