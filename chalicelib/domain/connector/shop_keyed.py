"""Decides how to write an alt text or a redirect in a shop.

The service stores a note about each change in a metafield (``shop_notes``). For a title or a description, the note is
written in the same request as the value. For an alt text or a redirect, Shopify offers no metafield that could be
written in the same request. The note is therefore stored in the app's own installation, for which the app needs no
granted scope. The note is written first, and the value in a second request. So if there is a note, the value may not be
written yet. If the shop still has the value from before the change, the second request did not arrive, and the value is
written now. If an editor has written another value, the change is refused.

Several pages may show one file. Several changes of a batch may then write the file's alt text, with the same sequence
and the same value. They count as one change: undoing any of them restores the value from before the batch.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from chalicelib.domain.connector.messages import MOST_VALUE, Change, Outcome
from chalicelib.domain.connector.shop import NOTES, Answer, Metafield, Shop, UserError
from chalicelib.domain.connector.shop_notes import (
    CHANGED,
    NOT_OURS,
    SET,
    Mutation,
    Note,
    Undo,
    encoded,
    note_of,
    noted,
    refused,
    undo_of,
)

LONGEST_TEXT: Final = 10_000  # characters of an answer's text
TWO_VALUES: Final = "The batch has two different values for this file of the shop: approve one of them."

INSTALLATION: Final = f"""shop {{ primaryDomain {{ url }} }}
  currentAppInstallation {{ id note: metafield(namespace: "{NOTES}", key: $key) {{ value compareDigest }} }}"""

Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Id = Annotated[str, Meta(max_length=200)]


class Installation(Answer, frozen=True):
    """The installation of the app in the shop. It holds the note about the last change of one value."""

    id: Id
    note: Metafield | None = None


class Noted(Answer, frozen=True, kw_only=True):
    """A shop, and its app installation, which stores the service's note on how a value was last changed."""

    shop: Shop
    current_app_installation: Installation


class Errors(Answer, frozen=True):
    """The errors that the shop reports for a mutation."""

    user_errors: Sequence[UserError]


class Step(NamedTuple):
    """A value to write, with the note about it. ``stands``: whether the shop already has this note."""

    note: Note
    stands: bool


class Manner(NamedTuple):
    """How values of one kind (alt texts or redirects) are compared.

    - ``shown``: converts a stored value to the text that the service shows and compares.
    - ``id``: the id of the redirect that has the value; None for other kinds.
    """

    shown: Callable[[str | None], str | None]
    id: str | None = None

    def same(self, one: str | None, other: str | None) -> bool:
        """Whether two stored values are equal, apart from spaces that the shop trims."""
        return _plain(self.shown(one)) == _plain(self.shown(other))

    def outcome(self, before: str | None, after: str | None) -> Outcome:
        """Make the outcome of a written change. The undo token in it has the values exactly as the shop stores them."""
        undo = encoded(Undo(before, after, self.id))
        return Outcome(state="written", before=self.shown(before), after=self.shown(after), undo=undo)


def decided(
    change: Change, value: str | None, stored: str | None, found: Metafield | None, manner: Manner
) -> Outcome | Step:
    """Decide how to make a change. Returns the finished outcome, or the value that must be written.

    - ``value``: the change's value, as the shop stores it.
    - ``stored``: what the shop stores now.
    - ``found``: the metafield with the note about the last change.
    """
    undo = None if change.restore is None else undo_of(change.restore)
    if change.restore is not None:
        if undo is None:
            return refused(NOT_OURS)
        value = undo.value
    note = note_of(found)
    if note is not None:
        if note.id == change.change_id or (note.sequence == change.sequence and manner.same(note.value, value)):
            if manner.same(stored, note.value):
                return manner.outcome(note.before, note.value)
            return Step(note, stands=True) if manner.same(stored, note.before) else refused(CHANGED)
        if change.sequence < note.sequence:
            return Outcome(state="superseded")
        if change.sequence == note.sequence:
            return refused(TWO_VALUES)
    if stored is not None and len(stored) > MOST_VALUE:
        return refused(f"The value in the shop is longer than {MOST_VALUE:,} characters.")
    if undo is not None:
        if manner.same(stored, undo.value):  # undone already
            return manner.outcome(undo.left, undo.value)
        if not manner.same(stored, undo.left):
            return refused(CHANGED)
    return Step(Note(change.change_id, change.sequence, stored, value), stands=False)


def _plain(value: str | None) -> str | None:
    return None if value is None else " ".join(value.split())


def mutation_of(note: Note, key: str, found: Installation) -> Mutation:
    """Make the request that writes a note."""
    return Mutation(SET, {"metafields": [noted(found.id, key, note, found.note)]})
