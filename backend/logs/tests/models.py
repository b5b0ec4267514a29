"""Makes models of the API from stored records."""

from backend.logs.records import document
from backend.logs.schemas import Log
from schema.columns import Record


def to_log(record: Record) -> Log:
    """Returns the record as the API's model."""
    return Log.model_validate(document(record))
