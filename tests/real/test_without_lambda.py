"""The service as plain processes, on a second DynamoDB, moto's SQS and S3, and a key file: without AWS."""

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from chalicelib.domain.webhooks import signature
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client
from local import demo
from local.receiver import Receiver
from local.report import Api
from local.tenants import Memory, Tenant
from tests.real import hosting
from tests.real.hosting import Process, until

pytestmark = pytest.mark.real

SWEEPS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hosting")


@pytest.fixture(scope="module")
def sites(folder: Path) -> Iterator[demo.DemoSites]:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    sites = demo.start(authority)
    yield sites
    sites.stop()


@pytest.fixture(scope="module")
def variables(folder: Path, sites: demo.DemoSites) -> Iterator[dict[str, str]]:
    with hosting.endpoints(folder) as endpoints:
        yield {**endpoints, "EXTRA_HOSTS": sites.extra_hosts, "EXTRA_CA_FILE": str(folder / "ca.pem")}


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture(scope="module")
def tenant(variables: dict[str, str], sites: demo.DemoSites, receiver: Receiver) -> Iterator[Tenant]:
    """Tables and queues made by the command, a workspace with the demo website, and an endpoint."""
    created = hosting.command(variables, "store", "create")
    assert created.returncode == 0, created.stderr
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        forget_settings()
        client.reset()
        memory = Memory(None)
        tenant = memory.tenant("Own", "agency", sites.faulty.url)
        receiver.know(memory.endpoint(tenant.workspace_id, receiver.url))
        yield tenant
    forget_settings()
    client.reset()


@pytest.fixture
def both(variables: dict[str, str], folder: Path, tenant: Tenant) -> Iterator[tuple[Process, Process]]:
    processes = tuple(Process(variables, folder / f"host-{number}.log") for number in (1, 2))
    yield processes  # type: ignore[misc]
    for process in processes:
        process.stop(signal.SIGKILL)


def ended(api: Api, site: str) -> list[str]:
    found = api.call("GET", f"{site}/audits")["audits"]
    return [audit["status"] for audit in found if audit["finishedAt"] is not None]


def sweeps(*processes: Process) -> int:
    return sum(entry.get("schedule") == "sweeper" for process in processes for entry in process.logged("schedule done"))


def test_the_doctor_accepts_a_deployment_without_lambda(variables: dict[str, str], tenant: Tenant) -> None:
    examined = hosting.command(variables, "doctor")
    assert examined.returncode == 0, examined.stdout


def test_two_processes_share_all_work_and_do_nothing_twice(
    both: tuple[Process, Process], tenant: Tenant, receiver: Receiver
) -> None:
    """Each process is asked for one audit of the same website. The first process is stopped in the middle of the second
    audit, which the other process finishes."""
    first, second = both
    site = f"/sites/{tenant.site_id}"
    apis = [Api(f"{process.url}/api/v1", tenant.workspace_key) for process in both]
    apis[0].call("POST", f"{site}/audits", {})
    until(lambda: ended(apis[1], site) == ["done"])
    apis[1].call("POST", f"{site}/audits", {})
    assert first.stop() == 0, first.text()
    until(lambda: ended(apis[1], site) == ["done", "done"])

    until(lambda: sweeps(first, second) >= SWEEPS)
    minutes = {
        entry["timestamp"][:16]
        for process in both
        for entry in process.logged("schedule done")
        if entry["schedule"] == "sweeper"
    }
    assert len(minutes) == sweeps(first, second)

    def told() -> Counter[str]:
        return Counter(arrival["headers"][signature.DELIVERY_HEADER] for arrival in receiver.received())

    until(lambda: sum("audit.finished" in arrival["body"] for arrival in receiver.received()) >= 2)
    assert second.stop() == 0, second.text()
    assert set(told().values()) == {1}
    assert sum("audit.finished" in arrival["body"] for arrival in receiver.received()) == 2
    assert all(arrival["verified"] for arrival in receiver.received())
    for process in both:
        assert '"level":"ERROR"' not in process.text() and "Traceback" not in process.text()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"CURSOR_SECRET": "short"}, "CURSOR_SECRET must have"),
        ({"SECRETS_KEY": "file:/no/such/key"}, "cannot be read"),
        ({"TABLE_PREFIX": "other-"}, "manage.py store create"),
        ({"QUEUE_PREFIX": "other-"}, "AWS: "),
        ({"SWITCHED_OFF": "nonsense"}, "nonsense"),
    ],
)
def test_an_invalid_setting_stops_the_start_with_one_line(
    variables: dict[str, str], folder: Path, tenant: Tenant, changed: dict[str, str], said: str
) -> None:
    process = Process({**variables, **changed}, folder / "refused.log")
    assert process.stop(0) == 1
    last = process.text().splitlines()[-1]
    assert said in last and "Traceback" not in process.text(), process.text()
