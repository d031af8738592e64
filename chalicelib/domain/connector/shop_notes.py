"""The notes that the service keeps in a shop about its own changes.

Shopify's Admin API has no ids of changes. So the service writes a note, in a metafield that only its app sees: the id
of the change, and the value before. When a change is sent again, the service finds its note and answers from it.
"""

from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from chalicelib import typed
from chalicelib.domain.connector.messages import Outcome
from chalicelib.domain.connector.shop import NOTES, Metafield, UserError
from chalicelib.domain.printable import printable

CHANGED: Final = "The value was changed in the shop since."
CHANGING: Final = "The value was changed in the shop at this moment."
NOT_OURS: Final = "The service did not give this undo."
MOST_REASON: Final = 500  # characters

SET: Final = """mutation WriteMetafields($metafields: [MetafieldsSetInput!]!) {
  written: metafieldsSet(metafields: $metafields) { userErrors { field message code } }
}"""

_Kind = TypeVar("_Kind", "Note", "Undo")


class Note(msgspec.Struct, frozen=True):
    """The note about the last change of a value: its id and sequence, the value before and the value written (None: no
    own value)."""

    id: str
    sequence: int
    before: str | None
    value: str | None


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The text by which a change is taken back: the value before it, and the value it wrote. ``id``: of the redirect
    that holds it, None for other values."""

    value: str | None
    left: str | None
    id: str | None = None


class Mutation(NamedTuple):
    """One request that writes."""

    document: str
    variables: dict[str, Any]


def refused(reason: str) -> Outcome:
    """The outcome of a change that is not made, with the reason."""
    return Outcome(state="refused", reason=printable(reason, MOST_REASON))


def is_stale(errors: list[UserError]) -> bool:
    """Whether the value changed between our read and our write."""
    return any(error.code == "STALE_OBJECT" for error in errors)


def words(errors: list[UserError]) -> str:
    """What the shop says of a mutation that it refused."""
    return " ".join(error.message for error in errors)


def metafield(
    owner: str | None, namespace: str, key: str, type_: str, value: str, standing: Metafield | None
) -> dict[str, str | None]:
    """Write a metafield only if it still holds what was read."""
    digest = None if standing is None else standing.compare_digest
    found = {"ownerId": owner, "namespace": namespace, "key": key, "type": type_, "value": value}
    return {**found, "compareDigest": digest}


def noted(owner: str | None, key: str, note: Note, standing: Metafield | None) -> dict[str, str | None]:
    """Write a note, unless somebody has written it since it was read."""
    return metafield(owner, NOTES, key, "json", encoded(note), standing)


def encoded(found: Note | Undo) -> str:
    """The text that is stored, or given to the service."""
    return msgspec.json.encode(found).decode()


def note_of(found: Metafield | None) -> Note | None:
    """The note in a metafield; None if there is none that can be read."""
    return None if found is None else _read(found.value, Note)


def undo_of(text: str) -> Undo | None:
    """The undo in a text; None if the service did not make it."""
    return _read(text, Undo)


def _read(text: str, kind: type[_Kind]) -> _Kind | None:
    try:
        return typed.from_json(text, kind)
    except (ValueError, RecursionError):
        return None
