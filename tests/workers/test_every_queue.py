"""What holds for the worker of every queue: lost messages come again, and tests kill it.

``docs/changing.md`` says how a worker is added; its queue gets a line in ``LOST``.
"""

import ast
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chalice.app import SQSEventConfig

from app import app
from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.jobs import Job
from chalicelib.operations import accounts, audits, changes, connections, exports, prompts, rechecks, speed, websites
from chalicelib.operations.approvals import Approver
from chalicelib.operations.jobs import send_job
from chalicelib.settings.core import core_settings
from chalicelib.store import issues, jobs, lanes, slots
from chalicelib.store import websites as stored_websites
from chalicelib.store.queues import Queue
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from host.pump import queue_name
from infra import functions
from local.sweeps import GRACE_SECONDS
from tests import aws, webhooks
from tests.api import seed

ROOT = Path(__file__).resolve().parent.parent.parent
FUNCTIONS = {source.name: source for source in app.event_sources if isinstance(source, SQSEventConfig)}
LATER_SECONDS = GRACE_SECONDS - 60  # longer than the sweeper may wait for any message


def _website() -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    return websites.add(OPERATOR, workspace.id, "https://shop.example")


def _an_audit() -> None:
    audits.start(_website(), 100, page_budget=None, person_id=None, through_api=False, now=clock.now())


def _a_recheck() -> None:
    website = _website()
    seed.audited(website)
    issue_id = ids.issue_id(website.id, seed.PAGE_RULE.id)
    rechecks.start(website, issue_id, person_id=None, now=clock.now())


def _a_connection_check() -> None:
    website, now = _website(), clock.now()
    job = Job(
        id=connections.job_id("cms"),
        kind="connection_status",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=now,
        payload={"connection": "cms"},
    )
    commit([jobs.put_new(job)])
    send_job(job)


def _a_sampling() -> None:
    website, now = _website(), clock.now()
    job = prompts.sampling_job(website, now, now)
    commit([jobs.put_new(job)])
    send_job(job)


def _a_write() -> None:
    website = _website()
    seed.audited(website)
    seed.connected(website)
    current, book = websites.existing(OPERATOR, website.id, "work"), issues.load_state(website.id)
    assert book is not None
    wish = changes.Wish(seed.url(website, 0), "Hiking boots")
    changes.apply(current, ids.issue_id(website.id, seed.PAGE_RULE.id), [wish], by=Approver(None), book=book)


def _a_speed_test() -> None:
    speed.queue_run(_website(), "https://shop.example/boots", "mobile", per_day=10, now=clock.now())


def _an_export() -> None:
    exports.start(_website(), now=clock.now())


def _events() -> None:
    webhooks.endpoint("https://hook.example/")
    webhooks.publish(webhooks.event())


def _a_delivery() -> None:
    _events()
    webhooks.hand_over()


# Queue -> what makes work for it, and so sends a message there.
LOST: dict[str, Callable[[], None]] = {
    "crawl": _an_audit,
    "recheck": _a_recheck,
    "imports": _a_connection_check,
    "sampling": _a_sampling,
    "agentic": _a_speed_test,
    "writes": _a_write,
    "exports": _an_export,
    "outbox": _events,
    "deliveries": _a_delivery,
}
# Queues whose work the sweeper sends into another one, where the worker finds out whose it is.
COMES_BACK_IN = {"deliveries-failing": "deliveries", **{slow: fast for fast, slow in lanes.SLOW_LANES.items()}}


def test_every_queue_has_a_test_for_lost_messages() -> None:
    prefix = core_settings().queue_prefix
    queues = {queue_name(source.queue_arn or "").removeprefix(prefix) for source in FUNCTIONS.values()}
    assert queues == LOST.keys() | COMES_BACK_IN.keys()
    assert set(COMES_BACK_IN.values()) <= LOST.keys()


def test_every_queue_of_jobs_and_crawls_has_a_slow_queue() -> None:
    # Batches of events are handed over at once, deliveries have lanes of their own, and exports ask no website.
    without = {"outbox", "deliveries", "exports"}
    assert lanes.SLOW_LANES.keys() == LOST.keys() - without
    assert {name: lane.name for name, lane in lanes.LANES.items()} == {name: name for name in lanes.LANES}
    assert lanes.LANES.keys() == lanes.SLOW_LANES.keys() | set(lanes.SLOW_LANES.values()) | {"exports"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_number_of_concurrent_functions_of_a_queue_is_the_declared_one(function: str) -> None:
    (declared,) = (one for one in functions.FUNCTIONS if one.name == function)
    assert FUNCTIONS[function].maximum_concurrency == declared.concurrency >= 2, "SQS takes no less than 2"


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("queue", LOST)
def test_the_sweeper_sends_lost_messages_again_but_never_too_early(queue: str) -> None:
    LOST[queue]()
    assert len(aws.messages(queue)) == 1
    aws.purge(queue)
    sweeper.run()
    assert aws.messages(queue) == []
    clock.set_offset(clock.offset() + LATER_SECONDS)
    sweeper.run()
    assert len(aws.messages(queue)) == 1


class _Minutes:
    """What a function is told of its time."""

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("queue", lanes.SLOW_LANES)
def test_work_of_a_slow_website_moves_to_the_slow_queue_and_waits_its_turn_there(queue: Queue) -> None:
    LOST[queue]()
    (message,) = aws.messages(queue)
    fast, slow = lanes.LANES[queue], lanes.LANES[lanes.SLOW_LANES[queue]]
    site_id, now = message["siteId"], clock.now()
    workspace_id = stored_websites.workspace_of(site_id)
    assert workspace_id is not None
    if "jobId" in message:
        job = jobs.get(site_id, message["jobId"])
        assert job is not None
        work = job.work
    else:
        work = {"crawl": "audit", "recheck": "recheck"}[queue]
    commit([fast.remember(site_id, work, now)])
    worker = importlib.import_module(_worker(queue))
    worker.handle(message, _Minutes())
    (sent_on,) = aws.messages(slow.name)
    assert sent_on["siteId"] == site_id
    aws.purge(slow.name)
    of_workspace = slow.slots_of(workspace_id)
    for number in range(of_workspace.most):
        commit([slots.take(of_workspace, number, now, now + 60)])
    worker.handle_slow(sent_on, _Minutes())
    assert len(aws.messages(slow.name)) == 1, "put off, in its own lane"


def _worker(function: str) -> str:
    """The module of the worker that a function of app.py imports when it runs."""
    for node in ast.parse((ROOT / "app.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            (found,) = (line for line in node.body if isinstance(line, ast.ImportFrom))
            return f"{found.module}.{found.names[0].name}"
    raise LookupError(function)


def _imports(test: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_worker_has_a_crash_test(function: str) -> None:
    """The crash tests check that the worker ends correctly. This test only finds a worker without a crash test."""
    worker = _worker(function)
    killing = [set(_imports(test)) for test in (ROOT / "tests" / "crash").glob("test_*.py")]
    assert any({worker, "tests.crash.crashing.killed_at"} <= imported for imported in killing), (
        f"no test in tests/crash kills {worker}"
    )
