"""The notes that the service stores in a shop about its own changes.

Changes in Shopify's Admin API have no ids. The service therefore writes a note into a metafield that only its app sees:
the id of the change, and the value before it. When a change is sent again, the service finds its note and answers from
it.
"""

from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from chalicelib import typed
from chalicelib.domain.connector.messages import Outcome
from chalicelib.domain.connector.shop import NOTES, Metafield, UserError
from chalicelib.domain.printable import printable

CHANGED: Final = "The value has been changed in the shop since then."
CHANGING: Final = "The value was changed in the shop at the same moment."
NOT_OURS: Final = "This undo did not come from the service."
MOST_REASON: Final = 500  # characters

SET: Final = """mutation WriteMetafields($metafields: [MetafieldsSetInput!]!) {
  written: metafieldsSet(metafields: $metafields) { userErrors { field message code } }
}"""

_Kind = TypeVar("_Kind", "Note", "Undo")


class Note(msgspec.Struct, frozen=True):
    """The note about the last change of a value: the change's id and sequence, and the values before and after the
    change.

    A value is None if the item had no own value for the field.
    """

    id: str
    sequence: int
    before: str | None
    value: str | None


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The data with which a change is undone.

    - ``value``: the value before the change.
    - ``left``: the value that the change wrote, and that the undo replaces.
    - ``id``: the id of the redirect that has the value; None for other values.
    """

    value: str | None
    left: str | None
    id: str | None = None


class Mutation(NamedTuple):
    """One GraphQL request that writes."""

    document: str
    variables: dict[str, Any]


def refused(reason: str) -> Outcome:
    """Make the outcome "refused" with a reason."""
    return Outcome(state="refused", reason=printable(reason, MOST_REASON))


def is_stale(errors: list[UserError]) -> bool:
    """Whether the shop refused a mutation because somebody changed the value after the service read it."""
    return any(error.code == "STALE_OBJECT" for error in errors)


def words(errors: list[UserError]) -> str:
    """Return the shop's reasons for refusing a mutation."""
    return " ".join(error.message for error in errors)


def metafield(
    owner: str | None, namespace: str, key: str, type_: str, value: str, standing: Metafield | None
) -> dict[str, str | None]:
    """Make the input that writes a metafield, on condition that it has not changed since it was read. ``standing``: the
    metafield that was read; None if there was none."""
    digest = None if standing is None else standing.compare_digest
    found = {"ownerId": owner, "namespace": namespace, "key": key, "type": type_, "value": value}
    return {**found, "compareDigest": digest}


def noted(owner: str | None, key: str, note: Note, standing: Metafield | None) -> dict[str, str | None]:
    """Make the input that writes a note, on the condition that the note has not changed since it was read."""
    return metafield(owner, NOTES, key, "json", encoded(note), standing)


def encoded(found: Note | Undo) -> str:
    """Encode a note or an undo as the JSON text that is stored or returned."""
    return msgspec.json.encode(found).decode()


def note_of(found: Metafield | None) -> Note | None:
    """Read the note in a metafield. Returns None if there is no readable one."""
    return None if found is None else _read(found.value, Note)


def undo_of(text: str) -> Undo | None:
    """Read an undo. Returns None if the text was not made by the service."""
    return _read(text, Undo)


def _read(text: str, kind: type[_Kind]) -> _Kind | None:
    try:
        return typed.from_json(text, kind)
    except (ValueError, RecursionError):
        return None
