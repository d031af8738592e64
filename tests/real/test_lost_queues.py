"""What host/compose.yaml starts, as plain processes: one is killed in the middle of an audit, and the queues lose
everything."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from chalicelib.domain.webhooks import signature
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client
from chalicelib.workers.audit.lease import LEASE_SECONDS
from local import demo
from local.demo import serve
from local.demo.fault import on_site
from local.demo.model import Website
from local.demo.variants import Variant
from local.receiver import Receiver
from local.report import Api
from local.tenants import Memory, Tenant
from management import template
from tests.real import dynoxide, hosting
from tests.real.hosting import Process, Queues, until

pytestmark = pytest.mark.real

LATE_SECONDS = 0.5  # each page: an audit that asks for one at a time takes a minute
LATER_SECONDS = LEASE_SECONDS + 10


def _late(site: Website) -> None:
    for page in site.pages.values():
        page.delay = LATE_SECONDS


@pytest.fixture
def website(tmp_path: Path) -> Iterator[serve.Server]:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    late = Variant("late", (on_site("SEO-PRF-004", _late),))
    server = serve.start(late, tls=authority, host=demo.DEMO_HOST)
    yield server
    server.stop()


@pytest.fixture
def queues(tmp_path: Path) -> Iterator[Queues]:
    with hosting.queues(tmp_path) as queues:
        yield queues


@pytest.fixture
def variables(tmp_path: Path, queues: Queues, website: serve.Server) -> Iterator[dict[str, str]]:
    with dynoxide.running(tmp_path / "tables.sqlite") as tables:
        yield {
            **hosting.variables(tmp_path, tables, queues.url),
            "EXTRA_HOSTS": demo.EXTRA_HOSTS,
            "EXTRA_CA_FILE": str(tmp_path / "ca.pem"),
            "CRAWL_CONCURRENCY": "1",
        }


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def tenant(variables: dict[str, str], website: serve.Server, receiver: Receiver) -> Iterator[Tenant]:
    created = hosting.command(variables, "store", "create")
    assert created.returncode == 0, created.stderr
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        forget_settings()
        client.reset()
        memory = Memory(None)
        tenant = memory.tenant("Own", "agency", website.url)
        receiver.know(memory.endpoint(tenant.workspace_id, receiver.url))
        yield tenant
    forget_settings()
    client.reset()


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    """Those that a test starts; they are killed at its end."""
    started: list[Process] = []
    yield started
    for process in started:
        process.stop(signal.SIGKILL)


def test_no_work_is_lost_if_a_process_is_killed_or_the_queues_are_lost(
    variables: dict[str, str],
    tmp_path: Path,
    queues: Queues,
    tenant: Tenant,
    receiver: Receiver,
    processes: list[Process],
) -> None:
    audits = f"/sites/{tenant.site_id}/audits"

    def audit(process: Process) -> dict[str, Any]:
        (found,) = Api(f"{process.url}/api/v1", tenant.workspace_key).call("GET", audits)["audits"]
        return dict(found)

    first = Process(variables, tmp_path / "first.log")
    processes.append(first)
    asked = Api(f"{first.url}/api/v1", tenant.workspace_key).call("POST", audits, {})
    until(lambda: audit(first)["stage"] == "crawling")
    first.stop(signal.SIGKILL)
    second = Process({**variables, "CRAWL_CONCURRENCY": "8"}, tmp_path / "second.log", ahead=LATER_SECONDS)
    processes.append(second)
    left = audit(second)
    assert (left["id"], left["status"]) == (asked["auditId"], "running")

    queues.kill()
    queues.start()
    until(lambda: "could not be read" in second.text())
    made = hosting.command(variables, "store", "create")
    assert made.returncode == 0, made.stderr
    assert made.stdout.count('"created"') == len(template.queues()) + 1, "the queues, and the bucket"

    until(lambda: audit(second)["status"] == "done")
    until(lambda: "audit.finished" in str(receiver.received()))
    assert second.stop() == 0, second.text()
    told = [arrival for arrival in receiver.received() if "audit.finished" in arrival["body"]]
    assert len({arrival["headers"][signature.DELIVERY_HEADER] for arrival in told}) == len(told) == 1
    examined = hosting.command(variables, "doctor")
    assert examined.returncode == 0, examined.stdout
