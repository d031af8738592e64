"""Manages a website's prompts: the questions that assistants are asked once a week. Only people add prompts."""

from typing import Final

import msgspec

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.ids import time_ordered
from chalicelib.domain.jobs import Job
from chalicelib.domain.page.text import fold
from chalicelib.domain.search.periods import ending
from chalicelib.domain.visibility.calendar import next_sampling
from chalicelib.domain.visibility.prompts import (
    MOST_ACTIVE,
    MOST_KEPT,
    BadPrompt,
    Prompt,
    checked_locale,
    checked_text,
    same,
)
from chalicelib.domain.visibility.proposals import Proposal
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.websites import existing
from chalicelib.randomness import random_bytes
from chalicelib.store import crawls, jobs, pages, search, visibility
from chalicelib.store.transactions import Write, committed
from chalicelib.store.visibility import PromptBook
from chalicelib.store.websites import Website

JOB_ID: Final = "sampling"
SEARCHED_DAYS: Final = 28
MOST_BLOCKS: Final = 40  # how many blocks of pages are searched for proposals


def add(actor: Actor, site_id: str, text: str, *, locale: str | None = None) -> Prompt:
    """Add a prompt. It is sent to assistants from the next weekly sampling on. ``locale``: a language tag such as
    ``de-AT``.

    Refused: ``not_found``, ``not_allowed``, ``bad_prompt``, ``already_there``, ``too_many_prompts``, ``busy``.
    """
    try:
        kept_text, kept_locale = checked_text(text), checked_locale(locale)
    except BadPrompt as reason:
        raise Refused("bad_prompt", str(reason)) from None
    for _ in tries():
        website = existing(actor, site_id, "work")
        book, now = visibility.load_prompts(site_id), clock.now()
        if any(same(prompt, kept_text, kept_locale) for prompt in book.prompts):
            raise Refused("already_there", "The website already has this prompt.")
        _check_room(book)
        if len(book.prompts) >= MOST_KEPT:
            raise Refused("too_many_prompts", f"A website has at most {MOST_KEPT} prompts; remove one first.")
        prompt = Prompt(
            id=time_ordered("prm", now, random_bytes(10)), text=kept_text, locale=kept_locale, created_at=now
        )
        writes = [visibility.put_prompts(site_id, [*book.prompts, prompt], book), *_job(website, now)]
        if committed(writes):
            return prompt
    raise busy()


def list_all(actor: Actor, site_id: str) -> list[Prompt]:
    """List the prompts of a website, oldest first. Refused: ``not_found``, ``not_allowed``."""
    existing(actor, site_id, "read")
    return visibility.load_prompts(site_id).prompts


def pause(actor: Actor, site_id: str, prompt_id: str) -> Prompt:
    """Stop asking a prompt in the weekly samplings. The answers so far stay. Refused: ``not_found``, ``not_allowed``,
    ``busy``."""
    return _set_active(actor, site_id, prompt_id, active=False)


def resume(actor: Actor, site_id: str, prompt_id: str) -> Prompt:
    """Ask a paused prompt in the weekly samplings again. Refused: ``not_found``, ``not_allowed``, ``too_many_prompts``,
    ``busy``.
    """
    return _set_active(actor, site_id, prompt_id, active=True)


def remove(actor: Actor, site_id: str, prompt_id: str) -> None:
    """Delete a prompt. It stays in the results of past weeks. Refused: ``not_found``, ``not_allowed``, ``busy``."""
    for _ in tries():
        existing(actor, site_id, "work")
        book = visibility.load_prompts(site_id)
        _existing(book, prompt_id)
        rest = [prompt for prompt in book.prompts if prompt.id != prompt_id]
        if committed([visibility.put_prompts(site_id, rest, book)]):
            return
    raise busy()


def propose(actor: Actor, site_id: str) -> list[Proposal]:
    """Propose questions to add, each with its source. Adds none of them. First come search queries with which people
    found the website, then the website's own headings. Questions that are already among the website's prompts are left
    out.

    Refused: ``not_found``, ``not_allowed``.
    """
    from chalicelib.domain.visibility import proposals

    website = existing(actor, site_id, "read")
    known = visibility.load_prompts(site_id).prompts
    found: dict[str, Proposal] = {}
    for one in (*_searched(site_id), *_asked_by_headings(website)):
        if not any(same(have, one.text, one.locale) for have in known):
            found.setdefault(fold(one.text), one)
    return list(found.values())[: proposals.MOST_PROPOSED]


def _searched(site_id: str) -> list[Proposal]:
    """Return questions among the queries of the last 28 days, most clicks first: at most half of all proposals."""
    from chalicelib.domain.search.rows import ranked
    from chalicelib.domain.visibility import proposals

    for consistent in (False, True):
        manifest = search.manifests(site_id, ("query",), consistent=consistent).get("query")
        if manifest is None or manifest.period is None:
            return []
        first, last = ending(manifest.period.last, SEARCHED_DAYS)
        try:
            stored = search.rows(site_id, manifest, first, last)
        except search.Moved:
            continue
        rows = ranked(stored, first, last, proposals.is_question)
        return proposals.of_queries(rows[: proposals.MOST_PROPOSED // 2])
    return []


def _asked_by_headings(website: Website) -> list[Proposal]:
    from chalicelib.domain.visibility import proposals

    if website.current_crawl is None:
        return []
    rows = pages.load_list(website.id, website.current_crawl)
    rows.sort(key=lambda row: (row.depth is None, row.depth, row.url))
    blocks = dict.fromkeys((row.facts_crawl, row.facts_block) for row in rows if row.facts_crawl and row.indexable)
    shown = {row.url for row in rows if row.indexable}
    return proposals.of_headings(
        page
        for crawl_id, number in list(blocks)[:MOST_BLOCKS]
        for page in crawls.load_facts_block(str(crawl_id), number)
        if page.url in shown
    )


def _set_active(actor: Actor, site_id: str, prompt_id: str, *, active: bool) -> Prompt:
    for _ in tries():
        website = existing(actor, site_id, "work")
        book = visibility.load_prompts(site_id)
        prompt = _existing(book, prompt_id)
        if prompt.active == active:
            return prompt
        if active:
            _check_room(book)
        changed = msgspec.structs.replace(prompt, active=active)
        prompts = [changed if one.id == prompt_id else one for one in book.prompts]
        if committed([visibility.put_prompts(site_id, prompts, book), *_job(website, clock.now())]):
            return changed
    raise busy()


def _check_room(book: PromptBook) -> None:
    if len(book.active) >= MOST_ACTIVE:
        raise Refused(
            "too_many_prompts",
            f"A website has at most {MOST_ACTIVE} active prompts; pause or remove one first.",
        )


def _existing(book: PromptBook, prompt_id: str) -> Prompt:
    found = next((prompt for prompt in book.prompts if prompt.id == prompt_id), None)
    if found is None:
        raise Refused("not_found", f"The website has no prompt {prompt_id[:60]}.")
    return found


def _job(website: Website, now: float) -> list[Write]:
    """Return the write that creates the website's weekly sampling job. Empty if the job exists."""
    known = jobs.get(website.id, JOB_ID)
    if known is not None and not known.ended:
        return []
    return [jobs.put_new(sampling_job(website, now, next_sampling(now)))]


def sampling_job(website: Website, now: float, due_at: float) -> Job:
    """Make the job that asks assistants the prompts of a website. ``due_at``: when it may start."""
    return Job(
        id=JOB_ID,
        kind="sampling",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=due_at,
    )
