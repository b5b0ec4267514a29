"""Tests that planted words are exactly in the records that the corpus says."""

from backend.language.words import words
from loadtest.corpus.rows import BATCH_ROWS, Corpus
from loadtest.pages.questions import PLANTED, planted_batch


def test_planted_words_are_as_frequent_as_they_say() -> None:
    corpus = Corpus(rows=BATCH_ROWS + 100, tenants=1, seed=3, start_ns=10**18)
    bodies = [body for index in range(corpus.batches) for body in planted_batch(corpus, index)["body"]]
    assert {len(body.encode()) for body in bodies} == {4096}
    for planted in PLANTED:
        having = [number for number, body in enumerate(bodies) if planted.word in words(body)]
        assert having == list(range(planted.first, corpus.rows, planted.every))
