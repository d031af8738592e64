"""Content that a website's CMS sends: which items it has, and what their fields hold."""

from collections.abc import Sequence

from chalicelib.domain.content import ContentItem, merged
from chalicelib.operations.errors import Refused
from chalicelib.store import content
from chalicelib.store.blocks import TooLargeToPack
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website

MOST_ITEMS = 20_000  # of one website
_TRIES = 8


def put(website: Website, sent: Sequence[ContentItem], *, now: float) -> int:
    """Take over the items that the CMS sent; an item that is older than what is known changes nothing. Gives how many
    were not older. What is sent again changes nothing more.

    Refused: ``too_many_items``, ``busy``. One read and one transaction.
    """
    for _ in range(_TRIES):
        known = content.load(website.id)
        after = merged(known.items, sent, now)
        if known.version and after.items == known.items:
            return after.taken
        if len(after.items) > MOST_ITEMS:
            raise _too_many(f"{len(after.items)} items")
        try:
            commit(content.writes(website.id, known, after.items, now))
        except TooLargeToPack:
            raise _too_many("so much text in its items") from None
        except Conflict:
            continue
        return after.taken
    raise Refused("busy", "The website's content keeps changing; try again in a moment.")


def _too_many(found: str) -> Refused:
    return Refused(
        "too_many_items",
        f"With these the website would have {found}; at most {MOST_ITEMS:,} are kept. "
        'Send those that are published, and remove the others with "deleted": true.',
    )
