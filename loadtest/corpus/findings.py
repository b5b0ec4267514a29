"""The corpus study's result: made-up lines beside real ones."""

from typing import Final

from pydantic import BaseModel

from loadtest.report.findings import Findings, Row

REAL: Final = "real lines"
MADE_UP: Final = "lines"


class Text(BaseModel):
    compression: float
    distinct_terms_per_mb: float


class CorpusFindings(Findings):
    texts: dict[str, Text]

    def headline(self) -> tuple[Row, ...]:
        made_up, real = self.texts[MADE_UP], self.texts.get(REAL)
        if real is None:
            return (Row("distinct terms a MiB of made-up lines", f"{made_up.distinct_terms_per_mb:,.0f}"),)
        return (
            Row(
                "distinct terms a MiB, made-up lines over real ones",
                f"{made_up.distinct_terms_per_mb / real.distinct_terms_per_mb:.2f}",
            ),
            Row("compression, made-up lines over real ones", f"{made_up.compression / real.compression:.2f}"),
        )
