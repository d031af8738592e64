"""Queues speed tests: those that a person or a key requests, and those of every week.

A test counts towards the day's budget as soon as its job is created. All requests for tests of a website write the same
row, so that two requests cannot both use up the day's last test.
"""

from math import ceil
from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain import ids, plans
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.crawl.urls import normalise, same_site
from chalicelib.domain.jobs import Job, JobKind
from chalicelib.domain.speed.budget import MOST_WAITING, Budget, SpeedState, WaitingRun
from chalicelib.domain.speed.times import next_collection, next_tests
from chalicelib.operations.accounts import existing_workspace
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.operations.jobs import send_job
from chalicelib.operations.websites import existing
from chalicelib.randomness import random_bytes
from chalicelib.store import jobs, speed
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website

RECURRING: Final[tuple[JobKind, ...]] = ("speed_tests", "field_data")


class Queued(NamedTuple):
    """A requested test, and how many more can be requested today."""

    job: Job
    budget: Budget


class BudgetUsed(Refused):
    """Refused because today's tests are used up. ``retry_at``: when the next test is possible (epoch seconds)."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(
            "budget_used",
            f"The {budget.per_day} speed tests that this website may run in a day are used up; the next day begins at "
            "midnight UTC. Nothing was queued.",
        )
        self.retry_at = ceil(budget.next_free_at or 0)


def queue_run(website: Website, url: str, strategy: Strategy, *, per_day: int, now: float) -> Queued:
    """Queue a test of one page of the website.

    Refused: ``bad_url``, ``other_host``, ``already_queued``, ``too_many_runs``, ``budget_used``, ``busy``. Costs one
    read, one transaction and one queue message.
    """
    address = _checked_address(website, url)
    for _ in tries():
        state = speed.load_state(website.id)
        _refuse(state, address, strategy, per_day, now)
        job = _run_job(website, address, strategy, now)
        after = state.with_run(WaitingRun(job.id, address, strategy, now))
        try:
            commit([speed.put_state(website.id, after), jobs.put_new(job)])
        except Conflict:
            continue
        send_job(job)
        return Queued(job, after.budget(per_day, now))
    raise Refused("busy", "Other tests of this website are being requested at the same moment; try again in a moment.")


def _checked_address(website: Website, url: str) -> str:
    address = normalise(url)
    if address is None:
        raise Refused("bad_url", "`url` must be a whole address, with http or https.")
    if not same_site(address, website.host):
        raise Refused("other_host", f"`url` is on another host; only pages of {website.host} can be tested.")
    return address


def _refuse(state: SpeedState, url: str, strategy: Strategy, per_day: int, now: float) -> None:
    match state.reason_against(url, strategy, per_day, now):
        case "already_queued":
            raise Refused("already_queued", f"A run of this address on {strategy} is already queued or running.")
        case "too_many_runs":
            raise Refused(
                "too_many_runs",
                f"{MOST_WAITING} runs of this website are already waiting; ask again when one has ended.",
            )
        case "budget_used":
            raise BudgetUsed(state.budget(per_day, now))


def _run_job(website: Website, url: str, strategy: Strategy, now: float) -> Job:
    return Job(
        id=ids.time_ordered("job", now, random_bytes(10)),
        kind="agentic_run",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=now,
        payload={"url": url, "strategy": strategy},
    )


def keep_up(workspace_id: str, site_id: str, now: float) -> None:
    """Create the website's recurring speed jobs: weekly tests and daily field data. A repeated call changes nothing.
    Makes two calls of the store."""
    for kind in RECURRING:
        due = next_tests(site_id, now) if kind == "speed_tests" else next_collection(site_id, now)
        job = Job(id=kind, kind=kind, site_id=site_id, workspace_id=workspace_id, queued_at=now, due_at=due)
        jobs.create(job)


def begin_tests(actor: Actor, site_id: str, url: str | None = None) -> Job:
    """Run the website's weekly tests now or, if ``url`` is given, one test of that page on a phone. Either counts
    towards the day's budget.

    Refused: ``not_found``, ``not_allowed``, ``already_running``, and the codes of ``queue_run``.
    """
    website = existing(actor, site_id, "work")
    if url is None:
        return _begin_now(website, "speed_tests")
    per_day = plans.plan(existing_workspace(website.workspace_id).plan).speed_tests_per_day
    return queue_run(website, url, "mobile", per_day=per_day, now=clock.now()).job


def begin_collecting(actor: Actor, site_id: str) -> Job:
    """Fetch the website's field data now. Refused: ``not_found``, ``not_allowed``, ``already_running``."""
    return _begin_now(existing(actor, site_id, "work"), "field_data")


def _begin_now(website: Website, kind: JobKind) -> Job:
    """Bring the time of a recurring job forward to now. Refused: ``already_running``."""
    now = clock.now()
    keep_up(website.workspace_id, website.id, now)
    job = jobs.get(website.id, kind)
    if job is not None and job.lease_until <= now:
        begun = job.begun_again(now)
        try:
            commit([jobs.put_begun_again(job, begun)])
        except Conflict:
            pass
        else:
            send_job(begun)
            return begun
    raise Refused("already_running", "These tests are already running. Wait until they have ended.")
