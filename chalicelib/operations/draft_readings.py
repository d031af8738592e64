"""Manages the operator's review of an assistant's drafts, which must pass before users get drafts.

The operator reads 100 drafts, for pages drawn by a seed, and marks them one by one. The drafts are made exactly as for
users: for pages, of any website, for which the service's rules suggest no description. Only the operator sees them. A
review is valid only for its provider, model and version of the checks.

If the process crashes while drafts are made, call ``draw`` again: it continues with the remaining pages. For the page
at which the crash happened, the assistant may be asked twice.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from msgspec.structs import replace

from chalicelib import clock
from chalicelib.connectors.assistants import drafting
from chalicelib.connectors.errors import OutsideError
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.draft_readings import READ_DRAFTS, Mark, ReadDraft, Reading
from chalicelib.domain.page.text import fold
from chalicelib.operations.drafts import descriptions_of, draft_of, identity, is_audited, is_drafted, page_of
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts, issues, website_names, websites
from chalicelib.store import draft_readings as stored
from chalicelib.store.errors import Conflict
from chalicelib.store.websites import Website

LONGEST_SEED: Final = 100
FIRST_OF_WEBSITE: Final = 10  # pages of one website that are taken before pages of others
MOST_ASKED: Final = 3 * READ_DRAFTS  # requests of one call: each costs money, even if its answer fails a check


class _Place(NamedTuple):
    """A page for which the review may get a draft."""

    website: Website
    page_id: str


def draw(actor: Actor, seed: str) -> Reading:
    """Make 100 drafts for a review, of pages drawn by the seed.

    If the stored review has the same seed and assistant, it is continued or, if it has passed, returned. Otherwise a
    new review replaces the stored review and its marks.

    Refused: ``not_allowed``, ``bad_seed``, ``too_few_pages``, ``too_many_dropped``, ``busy`` (another call stored a
    draft meanwhile). If the assistant fails:
    ``not_connected``, ``no_access``, ``quota``, ``unavailable``, ``refused``. Drafts that were made before the failure
    stay.
    """
    _check_operator(actor)
    if not 0 < len(seed) <= LONGEST_SEED or not seed.isprintable():
        raise Refused("bad_seed", f"A seed has 1 to {LONGEST_SEED} printable characters.")
    try:
        reading = stored.load()
        assistant = drafting.connected()
        of = identity(drafting.chosen())
        if reading is None or (reading.assistant, reading.seed) != (of, seed):
            reading = Reading(assistant=of, seed=seed, at=clock.now())
            stored.begin(reading)
        if reading.passed:  # its texts may have expired
            return reading
        drawn = stored.load_drafts()
        asked = 0
        known = {one.url for one in drawn}
        taken: dict[str, set[str] | None] = {}
        for place in _drawn(seed):
            if len(drawn) >= READ_DRAFTS:
                break
            page = page_of(place.website, place.page_id)
            if page is None or page.url in known or page.question is None:
                continue
            known.add(page.url)  # several issues may list it
            if place.website.id not in taken:
                taken[place.website.id] = descriptions_of(place.website)
            others = taken[place.website.id]
            if others is None:
                continue
            if asked >= MOST_ASKED:
                raise Refused(
                    "too_many_dropped",
                    f"The assistant was asked {asked} times, and the checks dropped most of its answers: {len(drawn)} "
                    f"of {READ_DRAFTS} drafts were made. Run the command again to continue, or choose another model.",
                )
            asked += 1
            found = draft_of(page, assistant, others)
            if found.text is None:
                continue
            others.add(fold(found.text))
            one = ReadDraft(number=len(drawn) + 1, url=page.url, text=found.text, rests_on=found.rests_on)
            drawn.append(one)
            before = reading
            reading = before.marked(len(drawn), (other.mark for other in drawn if other.mark is not None))
            stored.put(reading, one, after=before)
    except OutsideError as error:
        raise Refused(error.code, error.message) from None
    except Conflict:
        raise Refused(
            "busy", "Another `drafts draw` runs. Wait until it has ended, and run the command again."
        ) from None
    if len(drawn) < READ_DRAFTS:
        raise Refused(
            "too_few_pages",
            f"The websites of this service have only enough pages for {len(drawn)} drafts, but {READ_DRAFTS} must be "
            "read. Add websites, or audit the existing ones, and run the command again.",
        )
    return reading


def _drawn(seed: str) -> Iterator[_Place]:
    """Yield the pages for which rules find no description, in an order that depends only on the seed.
    First come a few pages of each website, then the others. Pages are read lazily."""
    rows = [(one.id, row.id) for one in accounts.list_workspaces() for row in website_names.list_all(one.id)]
    rows.sort(key=lambda row: _drawn_at(seed, row[1]))
    for part in (slice(FIRST_OF_WEBSITE), slice(FIRST_OF_WEBSITE, None)):
        for workspace_id, site_id in rows:
            found = sorted(_places_of(workspace_id, site_id), key=lambda place: _drawn_at(seed, place.page_id))
            yield from found[part]


def _drawn_at(seed: str, identifier: str) -> bytes:
    return sha256(f"{seed}\n{identifier}".encode()).digest()


def _places_of(workspace_id: str, site_id: str) -> Iterator[_Place]:
    website = websites.get(workspace_id, site_id)
    book = None if website is None else issues.load_state(site_id)
    if website is None or book is None or is_audited(website):
        return
    for issue in book.issues:
        if issue.status in ("open", "reopened") and is_drafted(issue.rule_id):
            pages = issues.load_pages(site_id, issue)
            listed = {page.page_id for page in pages.affected}
            for one in pages.suggestions:
                if one.suggested is None and one.page_id in listed:
                    yield _Place(website, one.page_id)


def unread(actor: Actor) -> list[ReadDraft]:
    """Return the review's drafts that have no mark yet, in order. Refused: ``not_allowed``, ``not_drawn``."""
    _existing(actor)
    return [one for one in stored.load_drafts() if one.mark is None]


def mark(actor: Actor, draft: ReadDraft, given: Mark) -> Reading:
    """Mark a draft of the review. Refused: ``not_allowed``, ``not_drawn``."""
    reading = _existing(actor)
    found = stored.load_drafts()
    if draft not in found:
        raise Refused("not_drawn", "This draft was replaced, because `drafts draw` was run again.")
    marked = replace(draft, mark=given)
    marks = (one.mark for one in (marked if one == draft else one for one in found) if one.mark is not None)
    reading = reading.marked(len(found), marks)
    stored.put(reading, marked)
    return reading


def result(actor: Actor) -> Reading:
    """Return the review with its marks. Refused: ``not_allowed``, ``not_drawn``."""
    return _existing(actor)


def _existing(actor: Actor) -> Reading:
    _check_operator(actor)
    reading = stored.load()
    if reading is None:
        raise Refused("not_drawn", "There are no drafts to read yet: manage.py drafts draw makes 100.")
    return reading


def _check_operator(actor: Actor) -> None:
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator of this service reads drafts.")
