"""Looking again at the changes that were written for an issue, with the pages that its recheck has read.

Only a batch that is done is looked at: until then its worker does. A field that a later batch has written is left as it
is, since nobody expects the earlier value any more; so is a page that did not answer.
"""

from collections.abc import Mapping
from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.changes.batch import WRITTEN, Change, in_blocks
from chalicelib.domain.changes.events import BatchEvents
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.webhooks.events import Event
from chalicelib.settings.core import core_settings
from chalicelib.store import changes
from chalicelib.store.changes import Loaded
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers.writing.live import of_page


class Looked(NamedTuple):
    """What is to be written of it, and told. ``not_live``: whether the live page lacks a written value."""

    writes: list[Write]
    events: list[Event]
    not_live: bool


NOTHING = Looked([], [], False)


def addresses(issue: Issue, site_id: str) -> list[str]:
    """The pages that a change was written to for the issue, listed or not."""
    loaded = _written(issue, site_id)
    return [] if loaded is None else [change.url for change in loaded.changes if change.status in WRITTEN]


def look_again(website: Website, issue: Issue, fresh: Mapping[str, PageFacts]) -> Looked:
    """What the changes of the issue's last batch look like, by what is stored of them now. ``fresh``: the pages as they
    were read."""
    loaded = _written(issue, website.id)
    if loaded is None:
        return NOTHING
    later = changes.written_later(website.id, loaded.batch)
    seen = {change.number: _seen(change, fresh) for change in loaded.changes if change.target not in later}
    writes: list[Write] = []
    for number, block in enumerate(in_blocks(loaded.changes)):
        after = [seen.get(change.number) or change for change in block]
        if after != block:
            writes.append(changes.put_block(loaded.batch, number, after, loaded.revisions[number]))
    unseen = [change for change in seen.values() if change is not None and change.look and not change.look.live]
    if not unseen or loaded.batch.not_live_told:
        return Looked(writes, [], bool(unseen))
    event = BatchEvents(loaded.batch, website.host, core_settings().app_url, clock.now()).not_live(unseen)
    return Looked([*writes, changes.told_not_live(loaded.batch)], [event], True)


def _written(issue: Issue, site_id: str) -> Loaded | None:
    loaded = None if issue.change_batch is None else changes.load(site_id, issue.change_batch)
    return loaded if loaded is not None and loaded.batch.status == "done" else None


def _seen(change: Change, fresh: Mapping[str, PageFacts]) -> Change | None:
    """The change after its page was read; None where that tells nothing."""
    page = fresh.get(change.url)
    if page is None or not answered(page) or change.status not in WRITTEN or change.outcome is None:
        return None
    return change.seen(of_page(page, change, change.outcome.caches))
