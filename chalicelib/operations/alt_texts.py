"""Lists the images of an issue about alt texts, and approves texts for them.

Alt texts can be approved only in the app, not through the API. An image is identified by its page and its key
(``domain.page.images``).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.evidence import CUT
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.changes.batch import MOST_CHANGES, WRITTEN, Batch, Change
from chalicelib.domain.changes.proposal import NotProposed, Proposal, Wish
from chalicelib.domain.changes.writability import writability
from chalicelib.domain.connections import Writer
from chalicelib.domain.content import by_address, held_by
from chalicelib.domain.crawl import shop_addresses
from chalicelib.domain.page.images import LONGEST_KEY, key_of
from chalicelib.operations import approvals
from chalicelib.operations.approvals import Approval, Approver, Decided, current_place
from chalicelib.operations.changes import gain_of, issue_of, put_approved, usable
from chalicelib.operations.errors import Refused
from chalicelib.operations.websites import existing
from chalicelib.rules import registry
from chalicelib.store import changes, content, issue_details, issues, items
from chalicelib.store.websites import Website

FIELD: Final = "alt"
_OLD: Final = (
    "The image was found before the service could distinguish images with the same address. Check the page again first."
)
_TWO_TEXTS: Final = (
    "Several chosen pictures use this file of the shop, which has only one text. Give all of them the same text."
)
_QUOTED: Final = 200  # characters of an address in a message
_NO_ADDRESS: Final = "The image's address is missing, or is too long to identify the image."


class Listed(NamedTuple):
    """An image that an issue lists.

    - ``key``: identifies the image on its page; None if it cannot be identified.
    - ``alt``: its current text, or None.
    - ``suggested_from``: the part of the page from which the suggested text was taken.
    - ``reason``: why no text can be written for the image now; None if a text can be written.
    - ``change``: the image's change in the issue's last batch, if it has one.
    - ``uses``: for a shop, how many listed images, including this one, show the same file and so share one text.
      Without a shop: 1.
    """

    page: AffectedPage
    src: str
    key: str | None
    alt: str | None
    suggested: str | None
    suggested_from: str | None
    reason: str | None
    change: Change | None
    uses: int = 1


class Images(NamedTuple):
    """A part of the images that an issue lists. ``unlisted``: how many more images on the issue's pages have the same
    problem but are not listed."""

    shown: list[Listed]
    total: int
    unlisted: int


def look(website: Website, issue_id: str, *, offset: int, limit: int) -> Images:
    """Return the images that an issue lists, from number ``offset`` to ``offset + limit``, in the order of their pages.
    Returns no images if the issue is not about alt texts. Refused: ``not_found``. Two reads."""
    issue = issue_of(issues.load_state(website.id), issue_id)
    if not _is_about_alt(issue):
        return Images([], 0, 0)
    detail = issue_details.load(website.id, issue, offset=0, limit=0)
    found, total = _window(detail.affected, offset, limit)
    last = {} if detail.approved is None else {(one.url, one.key): one for one in detail.approved.changes}
    writer = website.connections.writer
    uses = _uses(website, writer, detail.affected)
    shown = []
    for page, one in found:
        key = _key(one)
        reason = writability(page.url, FIELD, detail.published_by(writer), writer)[1]
        if reason is None and key is None:
            reason = _OLD if "occurrence" not in one and _is_short(one) else _NO_ADDRESS
        if reason is None and writer is not None:
            reason = _not_a_file(website, writer, key or "")
        shown.append(
            Listed(
                page,
                _text(one.get("src")) or "",
                key,
                _text(one.get("alt")),
                _whole(one.get("suggested")),
                _text(one.get("suggestedFrom")),
                reason,
                None if key is None else last.get((page.url, key)),
                1 if key is None else uses.get(_file_of(website, key), 1),
            )
        )
    counted = sum(count for page in detail.affected if isinstance(count := page.evidence.get("count"), int))
    return Images(shown, total, max(0, counted - total))


def approve(actor: Actor, site_id: str, issue_id: str, wanted: Sequence[Wish]) -> Batch:
    """Approve an alt text for each of these images. The text "" marks an image as decorative. A change is left out if
    the image already has the text, or an earlier batch will write it. If no change is left, return the earlier batch.

    Refused: ``not_allowed``, and the codes of ``changes.apply``. Costs two reads, one transaction and one message.
    """
    website = existing(actor, site_id, "work")
    if len(wanted) > MOST_CHANGES:
        raise Refused("too_many_changes", f"{len(wanted)} changes were sent; at most {MOST_CHANGES} at once.")
    writer = usable(website.connections.writer)

    def decide(_: int) -> Decided:
        found = issues.load_state(site_id)
        issue = issue_of(found, issue_id)
        if not _is_about_alt(issue):
            raise Refused("field_not_supported", "The issue is not about alt texts.")
        if FIELD not in writer.status.fields:
            raise Refused(
                "field_not_supported", writability("", FIELD, None, writer)[1] or "Alt texts cannot be written."
            )
        if not wanted:
            raise Refused("no_changes", "Nothing was sent; send at least one image with its text.")
        place = current_place(website.id)  # loaded first, so that everything read later is at least as new
        last_keys = _last_keys(website.id, issue)
        rows = items.batch_get(
            [
                *content.content_keys(website.id),
                *issues.pages_keys(website.id, issue),
                *changes.prints_keys(website.id, place),
                *last_keys,
            ]
        )
        held = by_address(held_by(writer.kind, content.content_of(rows, website.id).items.values()))
        pages = issues.pages_of(rows, website.id, issue).affected
        proposal = Proposal.of_pages(FIELD, wanted, held).for_issue(issue.status, {page.url for page in pages})
        named = {change.url for change in proposal.changes}
        wanted_pages = {page.url: page for page in pages if page.url in named}
        shown = {
            (page.url, _key(one)): _text(one.get("alt")) for page in wanted_pages.values() for one in _images(page)
        }
        written = _written(rows, last_keys, wanted_pages)
        for change in proposal.changes:
            if change.key is None or (change.url, change.key) not in shown:
                raise NotProposed(
                    "not_applied", "One of the images is no longer listed here. Look at the current list."
                )
        checked = proposal.checked(website.host)
        _check_files(website, writer, checked.changes)
        new = checked.without_equal(
            changes.in_flight_of(rows, website.id, place, proposal.changes),
            lambda change: written.get(change.target, shown[change.url, change.key]),
        )
        if not new.changes and new.older is None:
            raise Refused("no_changes", "All images already have these texts.")
        approval = Approval(
            "fields", FIELD, writer.kind, Approver(actor.person_id), issue_id, gain=gain_of(found, issue)
        )
        return Decided(place, approval, new, lambda batch: put_approved(website.id, found, issue, batch, "key"))

    return approvals.approve(website, decide)


def _not_a_file(website: Website, writer: Writer, key: str) -> str | None:
    """Return why a shop cannot write the text of an image, judged by the image's address. Returns None if it can, and
    for a CMS."""
    if writer.kind != "shop":
        return None
    found = shop_addresses.named(_address(key), website.host)
    return found if isinstance(found, str) else None


def _check_files(website: Website, writer: Writer, wanted: Sequence[Change]) -> None:
    """Check that a shop can write each text, and that all texts for one file are equal: a shop stores one text per
    file.
    Raises ``NotProposed``."""
    if writer.kind != "shop":
        return
    texts: dict[tuple[str, ...], str] = {}
    for change in wanted:
        reason = _not_a_file(website, writer, change.key or "")
        if reason is not None:
            raise NotProposed("not_applied", f"{_address(change.key or '')[:_QUOTED]}: {reason}")
        if texts.setdefault(_file_of(website, change.key or ""), change.value) != change.value:
            raise NotProposed("not_applied", f"{_address(change.key or '')[:_QUOTED]}: {_TWO_TEXTS}")


def _uses(website: Website, writer: Writer | None, pages: Sequence[AffectedPage]) -> Counter[tuple[str, ...]]:
    """Count how many listed images show each file of a shop. Empty for a CMS."""
    if writer is None or writer.kind != "shop":
        return Counter()
    keys = [_key(one) for page in pages for one in _images(page)]
    return Counter(_file_of(website, key) for key in keys if key is not None)


def _file_of(website: Website, key: str) -> tuple[str, ...]:
    return shop_addresses.same_file(_address(key), website.host)


def _address(key: str) -> str:
    return key.rpartition(" ")[0]


def _is_about_alt(issue: Issue) -> bool:
    rule = registry.BY_ID.get(issue.rule_id)
    return rule is not None and rule.writable_field == FIELD


def _last_keys(site_id: str, issue: Issue) -> list[items.Key]:
    if issue.change_batch is None:
        return []
    return changes.keys_of(site_id, issue.change_batch, issue.change_blocks)


def _written(
    rows: Mapping[items.Key, Mapping[str, Any]], last_keys: Sequence[items.Key], pages: Mapping[str, AffectedPage]
) -> dict[tuple[str, ...], str]:
    """Return the texts that the issue's last batch has written, by target.
    Leaves out a text that was live once if a later audit lists the image again: the CMS does not report its texts."""
    last = changes.loaded_of(rows, last_keys) if last_keys else None
    found = [] if last is None else [one for one in last.changes if one.status in WRITTEN and one.url in pages]
    return {
        one.target: one.value
        for one in found
        if one.status == "not_live" or (one.written_at or 0.0) >= pages[one.url].last_seen
    }


def _window(
    pages: Sequence[AffectedPage], offset: int, limit: int
) -> tuple[list[tuple[AffectedPage, Mapping[str, Any]]], int]:
    """Return at most ``limit`` images from ``offset`` on, and the number of all images. Other pages are only
    counted."""
    found: list[tuple[AffectedPage, Mapping[str, Any]]] = []
    total = 0
    for page in pages:
        images = _images(page)
        first = max(0, offset - total)
        if first < len(images) and len(found) < limit:
            found += [(page, one) for one in images[first : first + limit - len(found)]]
        total += len(images)
    return found, total


def _images(page: AffectedPage) -> Sequence[Mapping[str, Any]]:
    """Return the images that the evidence of a page names."""
    found = page.evidence.get("images")
    return found if isinstance(found, list) else ()


def _key(one: Mapping[str, Any]) -> str | None:
    src, number = _whole(one.get("src")), one.get("occurrence")
    return key_of(src, number) if src and isinstance(number, int) else None


def _is_short(one: Mapping[str, Any]) -> bool:
    src = _whole(one.get("src"))
    return src is not None and 0 < len(src) < LONGEST_KEY - len(" 300")


def _whole(value: object) -> str | None:
    """Return a text of the evidence, or None if it was cut short. No address ends with the mark of a cut text."""
    text = _text(value)
    return None if text is None or text.endswith(CUT) else text


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
