"""Tells search engines which pages have changed (IndexNow). A member of the workspace turns this on or off for a
website. While it is on, the pages of each written batch are queued for search engines."""

import logging
from collections.abc import Sequence
from typing import NamedTuple

from chalicelib import clock
from chalicelib.connectors.errors import NotConnected
from chalicelib.connectors.index_now import HttpSearchEngines
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.changes.batch import Change
from chalicelib.domain.changes.index_now import JOB_ID, KEY_BYTES, MOST_PENDING, IndexNow, pages_of, why_not
from chalicelib.domain.connections import Connections
from chalicelib.domain.jobs import Job
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.websites import existing
from chalicelib.randomness import random_bytes
from chalicelib.store import accounts, acts, index_now, jobs, websites
from chalicelib.store.transactions import Write, committed
from chalicelib.store.websites import Website

_log = logging.getLogger(__name__)


class Told(NamedTuple):
    """The IndexNow state of a website, as shown to a person. ``unavailable``: why no page can be submitted now, in
    words. None if pages can be submitted.
    """

    state: IndexNow
    unavailable: str | None


class Queued(NamedTuple):
    """The writes that queue a batch's pages, for the transaction that ends the batch, and the job that submits them.
    ``job``: None if nothing is submitted, or if a waiting job will submit them."""

    writes: list[Write]
    job: Job | None


def look(website: Website) -> Told:
    """Return the IndexNow state of a website. One round trip."""
    return Told(index_now.load(website.id), _why_not(website.connections))


def turn_on(actor: Actor, site_id: str) -> IndexNow:
    """Submit changed pages from now on. If an earlier submission failed, this also tries it again.

    Refused: ``not_found``, ``not_allowed``, ``index_now_unavailable`` (with what to do), ``busy``.
    """
    for _ in tries():
        website = existing(actor, site_id, "work")
        cms = website.connections.cms
        why = cms.reason if cms is not None and cms.broken else _why_not(website.connections)
        if why is not None:
            raise Refused("index_now_unavailable", why)
        state = index_now.load(site_id)
        if state.goes:
            return state
        after = state.turned_on(random_bytes(KEY_BYTES).hex(), clock.now())
        if committed([index_now.put(site_id, after, state), *_edited(actor, website)]):
            return after
    raise busy()


def turn_off(actor: Actor, site_id: str) -> IndexNow:
    """Stop submitting changed pages. Pages that wait to be submitted are dropped.

    Refused: ``not_found``, ``not_allowed``, ``busy``.
    """
    for _ in tries():
        website, state = existing(actor, site_id, "work"), index_now.load(site_id)
        if state.on_since is None:
            return state
        after = state.turned_off()
        ends: list[Write] = [index_now.put(site_id, after, state), jobs.removed(site_id, JOB_ID)]
        if committed([*ends, *_edited(actor, website)]):
            return after
    raise busy()


def queued(website: Website, batch_id: str, changes: Sequence[Change], now: float) -> Queued:
    """Queue the pages of a batch, to be submitted to search engines. Only pages that show the written values are
    queued. Call this when all changes of the batch have their final results.

    If the website's IndexNow state changes meanwhile, the returned writes fail with a conflict. At most one round trip.
    """
    if not pages_of(changes, website.home_url) or why_not(website.connections) is not None:
        return Queued([], None)
    state = index_now.load(website.id)
    if not state.goes:
        return Queued([], None)
    if len(state.pending) >= MOST_PENDING:
        _log.warning(
            "a batch is not submitted to search engines: too many batches wait", extra={"batch": state.pending[0]}
        )
    writes: list[Write] = [index_now.put(website.id, state.with_batch(batch_id), state)]
    if state.pending:
        return Queued(writes, None)
    job = Job(
        id=JOB_ID,
        kind="index_now",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=max(now, state.due_at),
    )
    return Queued([*writes, jobs.put_new(job)], job)


def _why_not(connections: Connections) -> str | None:
    try:
        HttpSearchEngines.connected()
    except NotConnected as error:
        return error.message
    return why_not(connections)


def _edited(actor: Actor, website: Website) -> list[Write]:
    """Return the writes that log the edit, and that fail if the website was removed."""
    act = acts.done(
        accounts.TABLE, actor, website.workspace_id, "website.edited", clock.now(), website.id, website.name
    )
    return [websites.touched(website), act]
