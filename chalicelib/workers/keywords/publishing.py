"""Publishes keyword tasks: adds them to the website's issues, and ends their job."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.issue_log import moves
from chalicelib.domain.audit.issues import IssueBook, RuleOutcome, StoredLists
from chalicelib.domain.audit.publish import recounted
from chalicelib.domain.audit.tasks import book_after_data
from chalicelib.domain.jobs import Job
from chalicelib.domain.suggestion import SuggestionSet
from chalicelib.randomness import random_bytes
from chalicelib.rules import registry
from chalicelib.rules.kw.checks import Check
from chalicelib.rules.kw.judging import Judged, judged
from chalicelib.rules.kw.model import SearchData
from chalicelib.rules.kw.suggesting import Own
from chalicelib.store import blocks, issues, websites
from chalicelib.store.errors import Conflict
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease
from chalicelib.workers.keywords.crawled import Crawled

TRIES: Final = 5
DISCONNECTED: Final = "The data source of this task is no longer connected."

_log = logging.getLogger(__name__)


def publish(
    lease: JobLease,
    website: Website,
    checks: Mapping[str, Check],
    data: SearchData,
    crawled: Crawled,
    ended: Callable[[float], Job],
    *,
    withdrawn: Collection[str] = (),
) -> None:
    """Store the tasks' pages and suggestions, then make them visible together with the job's end.

    ``withdrawn``: tasks based on data that is no longer connected. Their pages are dropped.
    """
    book = issues.load_state(website.id)
    assert book is not None
    before = {issue.rule_id: issue for issue in book.issues if issue.rule_id in checks or issue.rule_id in withdrawn}
    since = {
        task_id: {page.page_id: page.first_seen for page in issues.load_affected(website.id, issue)}
        for task_id, issue in before.items()
        if issue.affected_crawl is not None
    }
    empty = Own(None, (), "")
    described = [own.page.description for own in crawled.own.values() if own.page.description]
    found = judged(checks, data, website.id, lambda page: crawled.own.get(page, empty), since, clock.now(), described)
    found += [Judged(RuleOutcome(task_id, 0, [], DISCONNECTED), None, []) for task_id in withdrawn]
    stored_as = ids.time_ordered("crawl", clock.now(), random_bytes(10))
    stored = _stored(website.id, stored_as, found)
    lease.keep()

    for _ in range(TRIES):
        now_website, current = websites.get(website.workspace_id, website.id), issues.load_state(website.id)
        if now_website is None or now_website.summary is None or current is None:
            lease.commit(ended(clock.now()), [])
            return
        after = book_after_data(
            current,
            [one.outcome for one in found],
            {one.outcome.rule_id: one.clicks_to_win for one in found},
            site_id=website.id,
            stored_as=stored_as,
            stored=stored,
            now=clock.now(),
        )
        log = moves(current, after, clock.now(), None)
        state = issues.put_state(website.id, after, replaces=current.version, log=log)
        summary = recounted(now_website.summary, after.issues, registry.is_critical)
        try:
            lease.commit(ended(clock.now()), [state, websites.summarised(now_website, summary)])
            break
        except Conflict as conflict:
            _log.info("tasks are merged again", extra={"siteId": website.id, "of": str(conflict)})
    else:
        raise Conflict({issues.BOOK: None})
    blocks.expire(issues.TABLE, [key for issue in before.values() for key in issues.list_keys(website.id, issue)])


def left_over(book: IssueBook, checks: Mapping[str, Check]) -> list[str]:
    """Return the ids of those tasks in ``checks`` that are issues of the website and not resolved."""
    return [issue.rule_id for issue in book.issues if issue.rule_id in checks and issue.status != "resolved"]


def _stored(site_id: str, stored_as: str, found: Iterable[Judged]) -> dict[str, StoredLists]:
    lists: dict[str, StoredLists] = {}
    for one in found:
        rule_id = one.outcome.rule_id
        issue_id = ids.issue_id(site_id, rule_id)
        chunks = issues.affected_writes(site_id, issue_id, stored_as, one.outcome.affected)
        lists[rule_id] = StoredLists(len(chunks))
        if one.suggestions:
            more, counts = issues.suggestion_writes(site_id, issue_id, stored_as, one.suggestions)
            chunks += more
            lists[rule_id] = StoredLists(lists[rule_id].affected_chunks, SuggestionSet(stored_as, counts))
        blocks.write(chunks)
    return lists
