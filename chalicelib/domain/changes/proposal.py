"""Values that a person wants to write. Each value is checked in several steps, and then becomes a change or is refused
with a reason."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.audit.issues import IssueStatus
from chalicelib.domain.changes import values
from chalicelib.domain.changes.batch import Change
from chalicelib.domain.changes.place import InFlight
from chalicelib.domain.content import ContentItem
from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.printable import printable
from chalicelib.domain.suggestion import PageField, WritableField

_QUOTED: Final = 200  # characters of an address in a message


class Wish(NamedTuple):
    """A value that a person wants to write to a page. ``key``: identifies an image or redirect, as in ``Change``."""

    url: str
    value: str
    key: str | None = None


class NotProposed(Exception):
    """Raised when the values cannot be approved. ``code``: the error code. ``message``: the reason, for a person."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Proposal(NamedTuple):
    """Changes that passed the checks so far. Each step returns the next proposal or raises ``NotProposed``.

    - ``older``: an unfinished batch that will write the same values as changes that were left out here.
    - ``present``: how many changes were left out because the page or the file already has the value.
    """

    changes: tuple[Change, ...]
    older: str | None = None
    present: int = 0

    @classmethod
    def of_pages(cls, field: PageField, wishes: Iterable[Wish], held: Mapping[str, ContentItem]) -> "Proposal":
        """Convert the wanted values to changes of content items. ``held``: the published items, by address."""
        found = []
        for number, wish in enumerate(wishes):
            item = held.get(normalise(wish.url) or "")
            if item is None:
                shown = f"`{printable(wish.url, _QUOTED)}`"
                raise NotProposed(
                    "not_a_cms_post", f"{shown} is not a published content item that the CMS has sent to the service."
                )
            change = Change(
                number=number, url=item.url, cms_id=item.cms_id, field=field, value=wish.value, key=wish.key
            )
            found.append(change)
        return cls(tuple(found))

    def for_issue(self, status: IssueStatus, listed: Collection[str]) -> "Proposal":
        """Return this proposal if the issue is open and lists every page of the proposal. ``listed``: the addresses
        that the issue lists."""
        if status in ("resolved", "ignored"):
            raise NotProposed("not_applied", f"The issue is {status}, so nothing is written for it.")
        for change in self.changes:
            if change.url not in listed:
                raise NotProposed("not_applied", f"{change.url[:_QUOTED]} is not a page of this action.")
        return self

    def checked(self, host: str) -> "Proposal":
        """Return the proposal with each value as it will be written. ``host``: the website's host."""
        found: dict[tuple[str, ...], Change] = {}
        for change in self.changes:
            if change.target in found:
                each = "page" if change.key is None else "image of a page"
                raise NotProposed("not_applied", f"{change.url[:_QUOTED]} was sent twice; send each {each} once.")
            try:
                value = values.checked(change.field, change.value, host)  # type: ignore[arg-type]  # of a page
            except values.BadValue as reason:
                text = f"The value for {change.url[:_QUOTED]} cannot be written: {reason}."
                raise NotProposed("not_applied", text) from None
            found[change.target] = msgspec.structs.replace(change, value=value)
        return self._replace(changes=tuple(found.values()))

    def without_equal(self, in_flight: InFlight, present: Callable[[Change], str | None]) -> "Proposal":
        """Return the proposal with only the changes that are new.

        A change is left out in these cases:

        - Unfinished changes of the same item, field and key exist, and the last of them writes the same value.
        - No unfinished change of the same item, field and key exists, and the page or file already has the value.

        ``present``: returns the value of the page or file; None if unknown.
        """
        new, equal, held = [], set(), 0
        for change in self.changes:
            batch_id = in_flight.equal(change)
            if batch_id is not None:
                equal.add(batch_id)
            elif not in_flight.writes(change) and present(change) == change.value:
                held += 1
            else:
                new.append(change)
        numbered = (msgspec.structs.replace(change, number=number) for number, change in enumerate(new))
        # Batches are written in order: once the last of these is done, everything left out is done too.
        older = [batch_id for batch_id in in_flight.place.will_write if batch_id in equal]
        return Proposal(tuple(numbered), older[-1] if older else None, held)


def own_value(item: ContentItem, field: WritableField) -> str | None:
    """Return the item's own value of a field, as text (``noindex`` as ``true`` or ``false``); None if the item has
    none."""
    value = getattr(item.fields, field)
    return ("true" if value else "false") if isinstance(value, bool) else value
