"""Lists the messages of the dead-letter topic, each only once."""

from dataclasses import dataclass

from ingest.dead.read import Replayed, StoredLetter, read_dead_topic
from kit.settings import Settings
from schema.dead_letter import Origin


@dataclass(frozen=True, slots=True)
class Entry:
    """A listed letter, without its bytes. Times are in milliseconds since the Unix epoch.

    `replayed_at_ms` is None if the letter was not replayed.
    """

    origin: Origin
    code: str
    reason: str
    size: int
    at_ms: int
    replayed_at_ms: int | None


def list_dead_letters(settings: Settings) -> list[Entry]:
    """Lists the dead letters, newest first. Raises Unavailable like `read_dead_topic`."""
    dead_letters: dict[Origin, Entry] = {}
    replayed: dict[Origin, int] = {}
    for each in read_dead_topic(settings):
        match each:
            case Replayed():
                replayed[each.origin] = each.at_ms
            case StoredLetter(letter, at_ms) if letter.origin not in dead_letters:
                dead_letters[letter.origin] = Entry(
                    letter.origin, letter.code, letter.reason, len(letter.value or b""), at_ms, None
                )
    entries = [
        Entry(each.origin, each.code, each.reason, each.size, each.at_ms, replayed.get(each.origin))
        for each in dead_letters.values()
    ]
    return sorted(entries, key=lambda entry: entry.at_ms, reverse=True)
