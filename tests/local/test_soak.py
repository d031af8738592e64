"""The soak (``python -m bench soak``): short runs of it, and that each of its checks finds what it is for."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from bench import soak_checks, soak_neighbours
from bench.soak import is_stuck
from bench.soak_checks import Batches, Found
from bench.soak_hostile import DRIP, LIES, HostileCms
from bench.soak_neighbours import Neighbours, Tenant
from bench.soak_outside import Arrival, Report
from bench.soak_result import MEMORY_GROWTH, MOST_MEGABYTES, WRITTEN_SECONDS, Soak
from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import OutsideError
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.changes.batch import Batch, Change
from chalicelib.domain.jobs import Job
from chalicelib.domain.webhooks import signature
from chalicelib.domain.webhooks.delivery import Attempt, Delivery
from chalicelib.settings.reading import forget_settings
from local.standins.cms import ListSite

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 1_800  # ten times what it takes where nothing else runs
SECRET = "wos_wh_secret"
SITE, ITEM = "site_1", "page:1"


def soaked(*options: str) -> str:
    """What a soak with these options printed. Fails where something was not as it must be."""
    command = [sys.executable, "-m", "bench", "soak", *options]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            printed, _ = process.communicate(timeout=SECONDS)
        finally:
            with suppress(ProcessLookupError):  # the processes that it started must not outlive it
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0 and "Exception in thread" not in printed, printed
    return printed


@pytest.mark.deep
def test_a_soak_test_with_failing_parts_loses_no_work_and_leaks_no_memory() -> None:
    printed = soaked("--websites", "20", "--pages", "20", "--clients", "8", "--requests", "30")
    assert "audits: 40 done" in printed
    assert len(re.findall(r"the service then used \d+ MB", printed)) == 2
    assert re.search(r"\d+ batches written while other connectors sent hostile answers", printed)


@pytest.mark.deep
def test_randomly_killed_processes_neither_lose_nor_repeat_work() -> None:
    printed = soaked(
        "--websites", "4", "--pages", "20", "--clients", "2", "--requests", "30", "--kills", "--minutes", "0.7"
    )
    killed = re.search(r"processes killed: (\d+)", printed)
    assert killed is not None and int(killed[1]) >= 1


def test_every_failure_in_a_load_test_is_reported() -> None:
    bad = Soak()
    bad.audits.update(["done", "failed"])
    bad.unexpected["GET pages: 500 b''"] = 2
    bad.faults = ["the place of site_1 is still taken"]
    bad.megabytes = [100.0, 116.0]
    bad.peak_megabytes, bad.written_seconds = MOST_MEGABYTES + 1, [1.0, WRITTEN_SECONDS + 1]
    named = "\n".join(bad.problems())
    for part in ("2 x GET pages: 500", "'failed': 1", "site_1", "from 100 to 116 MB", "up to 401 MB", "took 46 s"):
        assert part in named
    good = Soak()
    good.audits.update(["done"] * 4)
    good.megabytes = [100.0, 100.0 * MEMORY_GROWTH]
    good.peak_megabytes, good.written_seconds = MOST_MEGABYTES, [WRITTEN_SECONDS]
    assert good.problems() == []
    assert Soak().problems(), "a soak without an audit has shown nothing"


def test_the_soak_report_names_texts_written_twice_and_faults_that_never_occurred() -> None:
    nobody = Tenant("wsp_1", "person_1", [])
    told = dict.fromkeys([DRIP, *LIES], 1)
    seen = Report([], [], [], [], {}, [["# A", "# B", None], ["# A"]], told)
    assert list(soak_neighbours.faults(Neighbours(nobody, nobody), seen)) == []
    twice = seen._replace(texts=[["# A", "# A"]], spoilt={name: 1 for name in told if name != "nested"})
    assert list(soak_neighbours.faults(Neighbours(nobody, nobody), twice)) == [
        "'# A' was written 2 times",
        "the fault nested never damaged a connector's answer",
    ]


def test_every_corrupted_answer_of_a_hostile_connector_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    hostile = HostileCms(ListSite(3), cycle(LIES))
    cms = HttpCms(hostile.address, "wos_cn_" + "5" * 64)
    try:
        status = cms.pair(hostile.cms.code(), "site_1", "https://api.example/api/v1", "wos_site_key")
        hostile.is_calm = False
        for _ in LIES:
            with pytest.raises(OutsideError):
                cms.status()
        assert hostile.spoilt == dict.fromkeys(LIES, 1)
        hostile.is_calm = True
        assert cms.status() == status
    finally:
        hostile.stop()
        monkeypatch.undo()
        forget_settings()


def test_work_that_is_still_due_after_three_checks_counts_as_stuck() -> None:
    place, other = {"the place of site_1"}, {"delivery dlv_1"}
    assert not any(map(is_stuck, ([], [place], [place, place], [place, set(), place], [place, other, place | other])))
    assert is_stuck([set(), place, place | other, place])


# -- what the checks find ----------------------------------------------------------------------------------


def audit(status: Any = "done", error: str | None = None) -> CrawlHeader:
    return CrawlHeader(
        id="crawl_1", site_id=SITE, workspace_id="wsp_1", kind="audit", queued_at=1.0, page_budget=10,
        time_limit_minutes=10, status=status, stage="finished", error=error,
    )  # fmt: skip


def batch(*changes: Change, status: Any = "done", sequence: int = 1) -> Batches:
    made = Batch(
        id=f"batch_{sequence}", site_id=SITE, workspace_id="wsp_1", kind="fields", sequence=sequence, field="title",
        source="cms", approved_at=1.0, count=len(changes), status=status,
    )  # fmt: skip
    return Batches(made, list(changes))


def change(value: str, status: Any = "applied", error: str | None = None) -> Change:
    return Change(
        number=0, url="https://x.example/", cms_id=ITEM, field="title", value=value, status=status, error=error
    )


def report(*written: str, holds: str | None) -> Report:
    writes: list[tuple[str, str, str | None]] = [(ITEM, "title", value) for value in written]
    return Report([], [writes], [{ITEM: {"title": holds}}], [True], {}, [], {})


def test_unfinished_audits_and_failures_without_a_reason_are_reported() -> None:
    assert list(soak_checks.audit_faults([audit(), audit("failed", "The home page did not answer.")])) == []
    assert list(soak_checks.audit_faults([audit("running")])) == ["audit crawl_1 is running"]
    assert list(soak_checks.audit_faults([audit("failed")])) == ["audit crawl_1 failed without a reason"]


@pytest.mark.parametrize(
    ("batches", "seen", "named"),
    [
        ([batch(change("a"))], report("a", holds="a"), []),
        ([batch(change("a")), batch(change("b"), sequence=2)], report("a", "b", holds="b"), []),
        # The answer was lost, so that it is called failed: it may have been written, once.
        ([batch(change("a")), batch(change("b", "failed", "x"), sequence=2)], report("a", "b", holds="b"), []),
        ([batch(change("a"))], report("a", "a", holds="a"), ["approved 1 times and written 2 times"]),
        ([batch(change("a"))], report(holds=None), ["reported as written", "has the title None"]),
        ([batch(change("a")), batch(change("b"), sequence=2)], report("b", "a", holds="a"), ["has the title 'a'"]),
        ([batch(change("a", "applying"), status="applying")], report("a", holds="a"), ["batch_1 is", "batch_1 is"]),
        ([batch(change("a", "failed"))], report(holds=None), ["failed without a reason"]),
    ],
)  # fmt: skip
def test_unfinished_missing_and_repeated_writes_are_reported(
    batches: list[Batches], seen: Report, named: list[str]
) -> None:
    found = list(soak_checks.write_faults(batches, seen, [SITE]))
    assert len(found) == len(named), found
    for fault, part in zip(found, named, strict=True):
        assert part in fault


def finished(crawl: str = "crawl_1") -> str:
    return json.dumps({"event": "audit.finished", "crawlId": crawl, "at": "2026-11-23T10:00:00Z"})


def arrival(receiver: str = "good", delivery: str = "dlv_1", body: str | None = None, status: int = 204) -> Arrival:
    sent = finished() if body is None else body
    return Arrival(receiver, delivery, signature.sign(SECRET, sent.encode()), sent, status)


def delivery(state: Any = "delivered", tries: int = 1, name: str = "dlv_1") -> Delivery:
    attempts = [Attempt(1.0, None, 204, 1) for _ in range(tries)]
    return Delivery(name, "wsp_1", "end_1", "audit.finished", 1.0, b"{}", state=state, attempts=attempts)


OWED = [("audit.finished", "crawl_1")]
BOTH = [arrival(), arrival("flaky")]


@pytest.mark.parametrize(
    ("arrivals", "good", "kills", "named"),
    [
        (BOTH, [delivery()], 0, []),
        ([arrival(status=500), *BOTH], [delivery(tries=2)], 0, []),
        ([arrival(), *BOTH], [delivery()], 1, []),  # killed between sending and writing it down
        ([arrival(), *BOTH], [delivery()], 0, ["more often than they were attempted"]),
        (BOTH[1:], [delivery()], 0, ["was lost", "did not arrive"]),
        (BOTH, [delivery("waiting")], 0, ["is waiting"]),
        ([arrival(delivery="dlv_2"), *BOTH], [delivery(), delivery(name="dlv_2")], 0, ["was sent as"]),
        ([arrival(delivery="dlv_2", body=finished("crawl_2")), *BOTH], [delivery()], 0, ["no such delivery"]),
        ([arrival(body=finished("crawl_2")), *BOTH], [delivery(tries=2)], 0, ["two different bodies"]),
        ([BOTH[0]._replace(signature="sha256=0"), BOTH[1]], [delivery()], 0, ["has a wrong signature"]),
    ],
)  # fmt: skip
def test_lost_and_repeated_events_are_reported(
    arrivals: list[Arrival], good: list[Delivery], kills: int, named: list[str]
) -> None:
    logs = {"good": good, "flaky": [delivery()], "silent": [], "dead": [delivery("endpoint_off")]}
    found = list(soak_checks.event_faults(OWED, arrivals, logs, dict.fromkeys(logs, SECRET), kills))
    assert len(found) == len(named), found
    for fault, part in zip(found, named, strict=True):
        assert part in fault


def test_expected_events_are_computed_from_the_finished_work() -> None:
    run = Job(
        id="job_1", kind="agentic_run", site_id=SITE, workspace_id="wsp_1", queued_at=1.0, due_at=1.0, ended_at=2.0
    )
    both = batch(change("a"), change("b", "refused", "no"))
    seen = Found([audit(), audit("running")], [run], [both, batch(change("c", "applying"), status="applying")])
    assert soak_checks.owed(seen) == {
        ("audit.finished", "crawl_1"),
        ("agentic.finished", "job_1"),
        ("write.applied", "batch_1"),
        ("write.failed", "batch_1"),
    }
