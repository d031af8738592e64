"""Drafts descriptions on request. This is a part of the worker of ``sampling``, because that worker has the keys of the
assistants.

Trigger: a job, which ``operations.drafts`` creates for the chosen pages. A website has only one such job at a time.
When it is created, its drafts are counted towards the workspace's daily limit. The job requests drafts page by page,
and stores each draft together with the remaining pages.

Failure policy
- Each request is recorded before it is sent. If the worker is killed after that, the next worker sends the request once
  more. If that worker is killed too, the page gets no draft. So for a page, at most two paid requests stay without
  an answer.
- One transaction stores the draft and the remaining pages. It fails if another worker has taken the job over, so two
  workers never store two drafts of a page.
- An audit has begun: the job waits until the audit has ended. If the audit finds that a page has changed, the page's
  draft is not shown.
- The assistant takes no more requests, or does not answer: the same page is tried once more, later. Then the job ends
  with the reason. It ends at once if the key is refused, or if drafts were turned off.
- An answer that fails a check is not a failure of the job: the page gets a note instead of a draft.
- Workers die repeatedly: the job ends, and the drafts made so far stay.
"""

from typing import Final

from chalicelib import clock, metrics
from chalicelib.connectors.assistants import drafting
from chalicelib.connectors.errors import OutsideError, Quota, Unavailable
from chalicelib.domain.page.text import fold
from chalicelib.operations.drafts import descriptions_of, draft_of, is_audited, page_of, why_off
from chalicelib.store import drafts, websites
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease

TRIES: Final = 2  # requests for one page's draft
SLICE_SECONDS: Final = 150.0  # seconds of one worker, plus the time of an answer
AUDIT_SECONDS: Final = 120.0  # until the next check whether an audit has ended
SHORTEST_WAIT, LONGEST_WAIT = 30.0, 1_800.0  # until an assistant that did not answer is asked again

GONE: Final = "The website is gone."
STALLED: Final = "The service was interrupted at this step several times."
NOT_KEPT: Final = "The pages of the last audit are no longer stored. Audit the website, then ask again."


def run(lease: JobLease) -> None:
    """Make the remaining drafts. Raises ``FenceLost``."""
    until, taken = clock.monotonic() + SLICE_SECONDS, None
    while lease.job.payload["pages"]:
        website = websites.get(lease.job.workspace_id, lease.job.site_id)
        why = GONE if website is None else why_off()
        if website is None or why is not None:
            _end(lease, why)
            return
        if is_audited(website) or clock.monotonic() >= until:
            lease.hand_over(AUDIT_SECONDS if is_audited(website) else 0.0)
            return
        taken = descriptions_of(website, lease.job.payload["pages"]) if taken is None else taken
        if taken is None:
            _end(lease, NOT_KEPT)
            return
        try:
            _draft_next(lease, website, taken)
        except (Quota, Unavailable) as error:
            if lease.job.payload["asked"] >= TRIES:
                _end(lease, error.message)
            else:
                lease.hand_over(min(max(error.retry_after or 0.0, SHORTEST_WAIT), LONGEST_WAIT))
            return
        except OutsideError as error:
            _end(lease, error.message)
            return
    _end(lease)


def give_up(lease: JobLease) -> None:
    """End the job, because its workers died too often. Raises ``FenceLost``."""
    _end(lease, STALLED)


def _draft_next(lease: JobLease, website: Website, taken: set[str]) -> None:
    """Make the draft of the first remaining page. Raises ``FenceLost``, and the assistant's errors."""
    page_id, *left = lease.job.payload["pages"]
    asked = lease.job.payload["asked"]
    page = page_of(website, page_id)
    if page is None or asked >= TRIES:
        lease.checkpoint([], pages=left, asked=0)
        return
    assistant = drafting.connected()
    if page.question is not None:
        lease.begin([], asked=asked + 1)
    draft = draft_of(page, assistant, taken)
    known = drafts.load(website.id)
    lease.checkpoint([drafts.put(website.id, {**known, page_id: draft}, clock.now())], pages=left, asked=0)
    if draft.text is not None:
        taken.add(fold(draft.text))
    if page.question is not None:
        metrics.use("answers", website.workspace_id, 1)
        lease.answered()


def _end(lease: JobLease, error: str | None = None) -> None:
    lease.commit(lease.job.done(clock.now(), error), [])
