"""Renders the sample of an audit's pages: the part of the worker of ``agentic`` that does jobs of the kind ``render``.

Trigger: the job that an audit created (see ``audit.asking_browser``) and waits for.

Failure policy
- Killed before the sample is committed: the audit continues after ten minutes without new renderings, and rules judge
  by the earlier sample. The job ends when another worker claims it, since the audit does not wait any more.
- The sample and the job's end are one transaction. If the worker is killed after this transaction, the audit continues
  with the sample once its ten minutes are over.
- The browser does not start, or a page cannot be loaded, has moved, or takes too long to read: the sample keeps the
  page's earlier rendering until it is four weeks older than the newest rendering of any page.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from chalicelib import clock
from chalicelib.connectors import rendering
from chalicelib.connectors.errors import OutsideError
from chalicelib.connectors.page_source import Source
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.rendered import Rendered, RenderedSample, compared
from chalicelib.operations.audits import send_slice
from chalicelib.store import crawls, rendered
from chalicelib.store.transactions import Write
from chalicelib.workers.audit.bounded import TooHard, read_html
from chalicelib.workers.jobs import JobLease

SECONDS: Final = 200.0  # time limit of all pages together
NOT_WAITED_FOR: Final = "The audit has continued without rendered pages."
STALLED: Final = "The service was interrupted at this step several times."

_log = logging.getLogger(__name__)


def run(lease: JobLease) -> None:
    """Render the pages, and let the audit continue. Raises ``FenceLost``."""
    header = _waiting(lease)
    if header is None:
        lease.commit(lease.job.done(clock.now(), NOT_WAITED_FOR), [])
        return
    error = None
    pages: list[Rendered] = []
    try:
        pages = _rendered(lease)
    except OutsideError as reason:
        error = reason.message
        _log.error("pages were not rendered", extra={"siteId": lease.job.site_id, "error": error})
    lease.commit(lease.job.done(clock.now(), error), _writes(lease, header, pages))
    _let_go_on(header)


def _writes(lease: JobLease, header: CrawlHeader, pages: Sequence[Rendered]) -> list[Write]:
    """Return the write that adds these pages to the sample. Without pages, the sample is not written."""
    if not pages:
        return []
    before = rendered.load(header.site_id) or RenderedSample(header.id, [])
    failed = set(lease.job.payload["urls"]) - {page.url for page in pages}
    return [rendered.put(header.site_id, before.renewed(header.id, pages, failed, whole=header.partial_reason is None))]


def give_up(lease: JobLease) -> None:
    """Let the audit continue without rendered pages. Raises ``FenceLost``."""
    header = _waiting(lease)
    lease.commit(lease.job.done(clock.now(), STALLED), [])
    if header is not None:
        _let_go_on(header)


def _waiting(lease: JobLease) -> CrawlHeader | None:
    """Return the audit if it still waits for this job, else None."""
    job = lease.job
    header = crawls.get(job.site_id, job.payload["auditId"])
    waits = header is not None and not header.ended and header.slice == job.payload["slice"]
    return header if waits else None


def _let_go_on(header: CrawlHeader) -> None:
    if crawls.end_waiting(header):
        send_slice(header)


def _rendered(lease: JobLease) -> list[Rendered]:
    """Render the job's pages, and compare each with the server's HTML. Pages that could not be rendered are left out.
    Raises ``OutsideError``."""
    payload = lease.job.payload
    raw = _read(payload["auditId"], set(payload["urls"]), lease)
    wanted = [url for url in payload["urls"] if url in raw]
    found = []
    for source in rendering.connected().render(wanted, SECONDS, lease.keep):
        lease.answered()
        after = _facts(source, raw[source.url], payload["host"])
        if after is not None:
            found.append(compared(raw[source.url], after))
    return found


def _read(audit_id: str, urls: set[str], lease: JobLease) -> dict[str, PageFacts]:
    found = {}
    for _, block in crawls.load_facts(audit_id):
        lease.keep()
        found.update({page.url: page for page in block if page.url in urls})
    return found


def _facts(source: Source, raw: PageFacts, host: str) -> PageFacts | None:
    """Return the facts of the rendered HTML. Returns None if the browser ended on another page, or if the HTML takes
    too long to read."""
    if source.status not in (0, 200) or normalise(source.final_url) != raw.url:
        return None
    facts = PageFacts(
        url=raw.url,
        status=200,
        fetched_at=int(clock.now()),
        content_type="text/html",
        headers=raw.headers,
        is_html=True,
    )
    headers = raw.headers | {"content-type": "text/html; charset=utf-8"}
    try:
        return asyncio.run(read_html(facts, source.html.encode("utf-8", "replace"), headers, host))
    except TooHard:
        return None
    except Exception:
        _log.exception("a rendered page cannot be read", extra={"url": raw.url})
        return None
