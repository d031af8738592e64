"""Exports: who may have one, one at a time, and the address of its file."""

import io
import zipfile
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, READ_SCOPES
from chalicelib.exports import worker
from chalicelib.operations import websites
from chalicelib.store import exports as stored_exports
from chalicelib.store import jobs, slots
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from local import embedded
from tests import aws
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import EVERY_SCOPE, House


def start(house: House, key: str | None = None) -> Received:
    return Client(key or house.key).request("POST", f"/sites/{house.site.id}/exports")


def work() -> None:
    """Do what waits in the queue."""
    waiting = aws.messages("exports")
    aws.purge("exports")
    for message in waiting:
        worker.handle(message, None)


def test_an_export_is_queued_created_and_downloaded(house: House, api: Client, bucket: embedded.Endpoint) -> None:
    seed.settled(house.site)
    queued = start(house)
    assert (queued.status, queued.json["queued"], queued.headers["retry-after"]) == (202, True, "10")
    path = queued.json["poll"].partition("/api/v1")[2]
    before = api.get(path).json
    assert (before["status"], before["url"], before["finishedAt"], before["lists"]) == ("queued", None, None, [])
    work()
    done = api.get(path).json
    assert (done["status"], done["error"], done["exportId"]) == ("done", None, queued.json["exportId"])
    with urlopen(done["url"], timeout=60) as file:
        content = file.read()
        assert file.headers["Content-Disposition"].startswith('attachment; filename="acme.example-')
    assert len(content) == done["fileBytes"]
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    rows = {one["name"]: one["rows"] for one in done["lists"]}
    assert {f"{name}.csv" for name, count in rows.items() if count is not None} < set(names)
    assert rows["pages"] == 3 and "README.md" in names
    clock.set_offset(clock.offset() + 86_400)
    later = api.get(path).json
    assert (later["status"], later["url"]) == ("done", None)
    with pytest.raises(HTTPError):
        urlopen(done["url"], timeout=60)


def test_starting_an_export_needs_every_read_scope(house: House) -> None:
    seed.audited(house.site)
    started = start(house, house.new_key(*READ_SCOPES)).json
    for scope in READ_SCOPES:
        key = house.new_key(*(one for one in EVERY_SCOPE if one != scope))
        refused = start(house, key)
        assert (refused.status, refused.code, refused.json["error"]["scope"]) == (403, "missing_scope", scope)
        polled = Client(key).get(f"/sites/{house.site.id}/exports/{started['exportId']}")
        assert (polled.status, polled.code) == (403, "missing_scope")


def test_a_second_export_is_refused_while_one_is_running(house: House, bucket: embedded.Endpoint) -> None:
    first = start(house).json
    refused = start(house)
    assert (refused.status, refused.code) == (409, "export_running")
    assert (refused.json["error"]["exportId"], refused.json["error"]["poll"]) == (first["exportId"], first["poll"])
    other = Client(house.key).request("POST", f"/sites/{house.other_site.id}/exports")
    assert other.status == 202, "another website's does not wait for it"
    work()
    second = start(house)
    assert second.status == 202 and second.json["exportId"] != first["exportId"]


def test_two_simultaneous_starts_create_one_export(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    from chalicelib.operations import exports

    begun, answered = exports.exports.begun, []

    def other_first(job: object, before: object) -> object:
        monkeypatch.setattr(exports.exports, "begun", begun)
        answered.append(start(house).status)
        return begun(job, before)  # type: ignore[arg-type]

    monkeypatch.setattr(exports.exports, "begun", other_first)
    assert (start(house).code, answered) == ("export_running", [202])
    assert len([job for job in jobs.list_all(house.site.id) if job.kind == "export"]) == 1


def test_an_export_whose_job_is_gone_does_not_block_a_new_export(house: House) -> None:
    first = start(house).json["exportId"]
    from chalicelib.store import items, keys

    items.delete("jobs", *keys.job(house.site.id, first))
    assert start(house).status == 202


def test_an_expired_export_does_not_block_a_new_one(house: House) -> None:
    assert start(house).status == 202
    clock.set_offset(clock.offset() + 2 * jobs.KEPT_SECONDS + 60)  # DynamoDB deletes it days later
    assert stored_exports.last(house.site.id) is None
    assert start(house).status == 202


def test_an_export_of_a_removed_website_leaves_no_job(house: House, bucket: embedded.Endpoint) -> None:
    seed.audited(house.site)
    start(house)
    (message,) = aws.messages("exports")
    claimed = worker.take

    def taken_then_removed(*arguments: object) -> object:
        lease = claimed(*arguments)  # type: ignore[arg-type]
        websites.remove(OPERATOR, house.site.id)
        return lease

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "take", taken_then_removed)
        worker.handle(message, None)
    assert jobs.list_all(house.site.id) == []
    aws.purge("exports")
    worker.handle(message, None)
    assert jobs.list_all(house.site.id) == []


def test_an_export_that_takes_too_long_fails_with_a_reason(house: House, api: Client) -> None:
    seed.settled(house.site)
    for setting, said in (("MOST_SECONDS", worker.TOO_LONG), ("TRIES", worker.CHANGING)):
        path = start(house).json["poll"].partition("/api/v1")[2]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(worker if setting == "MOST_SECONDS" else worker.archive, setting, -1)
            work()
        told = api.get(path).json
        assert (told["status"], told["error"], told["url"], told["availableUntil"]) == ("failed", said, None, None)


def test_an_export_fails_after_its_worker_was_killed_repeatedly(house: House, api: Client) -> None:
    path = start(house).json["poll"].partition("/api/v1")[2]
    (message,) = aws.messages("exports")

    def killed(*_: object) -> None:
        raise RuntimeError("killed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "_export", killed)
        for _ in range(3):
            with pytest.raises(RuntimeError):
                worker.handle(message, None)
            clock.set_offset(clock.offset() + 400)
        assert api.get(path).json["status"] in ("queued", "running")
        worker.handle(message, None)
    assert api.get(path).json["error"] == worker.STOPPED


def test_an_export_above_the_concurrency_limit_of_its_workspace_is_queued_again(
    house: House, bucket: embedded.Endpoint
) -> None:
    seed.audited(house.site)
    assert start(house).status == 202
    (message,) = aws.messages("exports")
    aws.purge("exports")
    places, now = LANES["exports"].slots_of(house.workspace_id), clock.now()
    for number in range(places.most):
        commit([slots.take(places, number, now, now + 60)])
    worker.handle(message, None)
    assert len(aws.messages("exports")) == 1, "it comes again later"


def test_lists_of_many_pages_are_exported_completely(house: House, bucket: embedded.Endpoint) -> None:
    seed.settled(house.site, count=1_200, affected=3)
    queued = start(house)
    work()
    done = Client(house.key).get(queued.json["poll"].partition("/api/v1")[2]).json
    assert done["error"] is None
    assert {one["name"]: one["rows"] for one in done["lists"]}["pages"] == 1_200
