"""Tests that text made from the dictionary resembles real lines, and depends only on its seed."""

import random
import re
from collections import Counter

import pytest

from loadtest.corpus.dictionary import Changing, Collection, Shape, shipped
from loadtest.corpus.likeness import made_up, measure
from loadtest.corpus.rows import BATCH_ROWS, DAY_NS, LARGEST, Corpus, batch
from loadtest.corpus.terms import made_up_term, mask
from loadtest.corpus.text import TextSource

COUNTED = Collection(
    system="pool",
    terms={"DEBUG": 200, "worker": 200, "took": 200, "ms": 200},
    unrepeated={"9999": 200, "99": 200},
    shapes=(
        Shape(
            separators=("", " ", "[", "]: ", " ", " ", ""),
            slots=(5, 6, Changing(mask="9999", seen=200), 4, Changing(mask="99", seen=150), 2),
            lines=200,
            fillings=1,
        ),
    ),
)
"""Counts of lines like `DEBUG worker[1007]: took 12 ms`."""


@pytest.mark.parametrize(
    ("term", "expected"),
    [("20170609", "99999999"), ("INFO", "AAAA"), ("ssh2", "aaa9"), ("f0a1b2c3", "xxxxxxxx"), ("10.0.0.1", "99.9.9.9")],
)
def test_a_mask_keeps_the_kind_of_every_character(term: str, expected: str) -> None:
    assert mask(term) == expected
    assert mask(made_up_term("9999", random.Random(1))) == "9999"


def test_the_dictionary_has_no_rare_terms() -> None:
    """Tests that terms which occur once or twice, such as ids, are not stored."""
    assert min(times for each in shipped().collections for times in each.terms.values()) >= 3


def test_text_has_the_words_and_the_punctuation_of_the_lines() -> None:
    made = TextSource(COUNTED, seed=1).lines(random.Random(2), 500)

    assert all(re.fullmatch(r"DEBUG worker\[\d{4}\]: took \d\d ms", line) for line in made)
    assert len(set(made)) > 490


def test_a_message_is_extended_by_what_follows_from_it() -> None:
    """Tests that equal lines get equal extensions, and that a shorter one is the beginning of a longer one."""
    source = TextSource(shipped().collections[0], seed=1)
    (line,) = source.lines(random.Random(3), 1)

    assert source.extend(line, 4096) == source.extend(line, 4096)
    assert source.extend(line, 4096).startswith(line)
    assert len(source.extend(line, 4096)) == 4096
    assert source.extend(line, 1024) == source.extend(line, 4096)[:1024]


def test_the_shipped_dictionary_makes_text_like_real_lines() -> None:
    made = measure(made_up(shipped(), 1, None, 2 * 2**20))

    assert 2.5 < made.compression < 8
    assert 8_000 < made.distinct_terms_per_mb < 14_000


def test_a_batch_is_the_same_whoever_makes_it() -> None:
    """Tests that a batch depends only on the corpus and its number, and has the sizes, times and skew of the corpus."""
    corpus = Corpus(rows=BATCH_ROWS + 10, tenants=9, seed=5, start_ns=10**18)
    rows = batch(corpus, 1)

    assert rows == batch(corpus, 1)
    assert rows["id"] == list(range(BATCH_ROWS, BATCH_ROWS + 10))
    assert {len(body) for body in rows["body"]} == {4096}
    assert all(10**18 <= time < 10**18 + DAY_NS for time in rows["timestamp"])
    tenants = Counter(batch(corpus, 0)["tenant_id"])
    assert tenants[LARGEST] > 5 * tenants[9] > 0
