"""Tests that a dictionary counts the terms of lines, and that text made from it resembles the lines."""

import random
from collections import Counter
from pathlib import Path

import pytest

from kit.errors import InvalidRequest
from loadtest.corpus.dictionary import Dictionary, count, count_folder, shipped, write_dictionary
from loadtest.corpus.likeness import made_up, measure
from loadtest.corpus.rows import BATCH_ROWS, DAY_NS, LARGEST, Corpus, batch
from loadtest.corpus.terms import TERM, made_up_term, mask, split
from loadtest.corpus.text import TextSource

LINES = [f"2017-06-09 INFO worker[{n}]: took block blk_{n * 7919:08x} in {n % 3} ms" for n in range(1000, 1200)]


@pytest.mark.parametrize(
    ("term", "expected"),
    [("20170609", "99999999"), ("INFO", "AAAA"), ("ssh2", "aaa9"), ("f0a1b2c3", "xxxxxxxx"), ("10.0.0.1", "99.9.9.9")],
)
def test_a_mask_keeps_the_kind_of_every_character(term: str, expected: str) -> None:
    assert mask(term) == expected
    assert mask(made_up_term("9999", random.Random(1))) == "9999"


def test_a_line_is_its_terms_and_what_stands_between() -> None:
    terms, separators = split("[10.0.0.1] user-7 ok", {"10.0.0.1"})

    assert terms == ["10.0.0.1", "user", "7", "ok"]
    assert separators == ["[", "] ", "-", " ", ""]


def test_what_nobody_repeats_is_not_in_the_dictionary() -> None:
    """Tests that terms which occur in a single line, such as ids, are not stored."""
    counted = count("hdfs", LINES)

    assert counted.terms["INFO"] == 200
    assert not any(term in counted.terms for line in LINES for term in TERM.findall(line) if len(term) == 8)
    assert sum(shape.lines for shape in counted.shapes) == 200


def test_text_has_the_words_and_the_punctuation_of_the_lines() -> None:
    source = TextSource(count("hdfs", LINES), seed=1)
    made = source.lines(random.Random(2), 500)

    assert {len(TERM.findall(line)) for line in made} == {len(TERM.findall(line)) for line in LINES}
    often = Counter(term for line in made for term in TERM.findall(line))
    assert {"INFO", "worker", "took", "block", "blk", "in", "ms"} == {term for term in often if term.isalpha()}
    assert len(set(made)) > 490


def test_a_message_is_extended_by_what_follows_from_it() -> None:
    """Tests that equal lines get equal extensions, and that a shorter one is the beginning of a longer one."""
    source = TextSource(shipped().collections[0], seed=1)
    (line,) = source.lines(random.Random(3), 1)

    assert source.extend(line, 4096) == source.extend(line, 4096)
    assert source.extend(line, 4096).startswith(line)
    assert len(source.extend(line, 4096)) == 4096
    assert source.extend(line, 1024) == source.extend(line, 4096)[:1024]


def test_a_folder_is_counted_and_read_back(tmp_path: Path) -> None:
    (tmp_path / "hdfs_2k.log").write_text("\n".join(LINES))
    dictionary = count_folder(tmp_path, "nobody's")
    write_dictionary(dictionary, tmp_path / "terms.json.xz")

    assert dictionary.collections[0].system == "hdfs"
    assert Dictionary.model_validate(dictionary.model_dump()) == dictionary
    with pytest.raises(InvalidRequest):
        count_folder(tmp_path / "empty", "nobody's")


def test_the_shipped_dictionary_makes_text_like_real_lines() -> None:
    made = measure(made_up(shipped(), 1, None, 2 * 2**20))

    assert 2.5 < made.compression < 8
    assert 8_000 < made.distinct_terms_per_mb < 14_000


def test_a_batch_is_the_same_whoever_makes_it() -> None:
    """Tests that a batch depends only on the corpus and its number, and has the sizes, times and skew of the corpus."""
    corpus = Corpus(rows=BATCH_ROWS + 10, size="128", tenants=9, seed=5, start_ns=10**18)
    rows = batch(corpus, 1)

    assert rows == batch(corpus, 1)
    assert rows["id"] == list(range(BATCH_ROWS, BATCH_ROWS + 10))
    assert {len(body) for body in rows["body"]} == {128}
    assert all(10**18 <= time < 10**18 + DAY_NS for time in rows["timestamp"])
    tenants = Counter(batch(corpus, 0)["tenant_id"])
    assert tenants[LARGEST] > 5 * tenants[9] > 0
    with pytest.raises(InvalidRequest):
        Corpus(rows=1, size="5k", tenants=1, seed=1, start_ns=0)
