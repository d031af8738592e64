"""Pairing a website with its CMS, looking after the connection, and ending it: against the stand-in, over the wire."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.connectors.cms import HttpCms
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import BROKEN_CHECK_SECONDS, CHECK_SECONDS, FAILING_SECONDS
from chalicelib.domain.connector.messages import Status
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.operations import connections, reencryption, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import connections as stored
from chalicelib.store import items, jobs, keys
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import imports
from tests import aws, webhooks
from tests.connections import API, Connected, connectable


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connected]:
    with connectable(monkeypatch) as found:
        yield found


def test_pairing_stores_the_key_and_the_secret_encrypted(house: Connected) -> None:
    writer = house.pair()
    assert house.writer() == writer
    assert (writer.writable, writer.status.platform) == (True, "stand-in")
    assert writer.status.fields == ("alt", "canonical", "meta_description", "noindex", "title")
    handed = house.cms.pairing
    assert handed is not None and (handed.site_id, handed.base_url) == (house.site_id, API)
    credentials = stored.get(house.site_id, "cms")
    assert credentials is not None and credentials.secret().reveal() == handed.secret
    assert house.live_keys() == [credentials.key_id]
    assert stored.get(house.site_id, "cms", "pairing") is None
    rows = [items.get(table, pk, sk) for table in ("sites", "accounts") for pk, sk in aws.rows(table)]
    assert not [row for row in rows if handed.secret in str(row) or handed.website_key in str(row)]
    job = house.job()
    assert job is not None and CHECK_SECONDS - 60 < job.due_at - clock.now() <= CHECK_SECONDS


def test_a_wrong_code_stores_nothing(house: Connected) -> None:
    with pytest.raises(Refused) as refused:
        house.pair("wrong")
    assert refused.value.code == "cannot_connect"
    assert "code" in refused.value.message
    assert house.live_keys() == []
    assert (house.writer(), house.job(), stored.get(house.site_id, "cms", "pairing")) == (None, None, None)


def test_the_previous_key_is_revoked_only_if_a_new_pairing_succeeds(house: Connected) -> None:
    house.pair()
    before = house.live_keys()
    with pytest.raises(Refused):
        house.pair("wrong")
    assert house.live_keys() == before
    house.pair()
    assert len(house.live_keys()) == 1 and house.live_keys() != before
    assert house.writer() is not None


def test_a_pairing_succeeds_while_the_secrets_are_encrypted_again(
    house: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Re-encryption runs after the CMS accepted the secret, and another writer changes the website's record."""
    walked: list[bytes] = []
    pair, get = HttpCms.pair, connections.websites.get

    def walk_after(cms: HttpCms, code: str, site_id: str, base_url: str, key: str) -> Status:
        status = pair(cms, code, site_id, base_url, key)
        assert reencryption.go_on(OPERATOR, 100).progress.reencrypted == 1
        pairing = stored.get(house.site_id, "cms", "pairing")
        assert pairing is not None
        walked.append(pairing.sealed)
        return status

    def changed_once(workspace_id: str, site_id: str) -> Website | None:
        website = get(workspace_id, site_id)
        if walked and website is not None and website.packed_connections is None:
            commit([stored.shown(website, website.connections)])
        return website

    monkeypatch.setattr(HttpCms, "pair", walk_after)
    monkeypatch.setattr(connections.websites, "get", changed_once)
    house.pair()
    credentials = stored.get(house.site_id, "cms")
    assert credentials is not None and credentials.sealed == walked[0]
    assert house.cms.pairing is not None and credentials.secret().reveal() == house.cms.pairing.secret
    assert stored.get(house.site_id, "cms", "pairing") is None
    found = connections.check(OPERATOR, house.site_id).cms
    assert found is not None and (found.writable, found.error) == (True, None)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"url": "ftp://shop.example/"}, "bad_credentials"),
        ({"code": ""}, "bad_credentials"),
        ({"code": "a\nb"}, "bad_credentials"),
        ({"base_url": ""}, "bad_base_url"),
        ({"person_id": "person_unknown"}, "not_found"),
        ({"site_id": "site_unknown"}, "not_found"),
    ],
)
def test_invalid_values_are_refused_without_calling_the_cms(
    house: Connected, changed: dict[str, str], code: str
) -> None:
    given = {
        "site_id": house.site_id,
        "url": house.cms.url,
        "code": house.cms.code(),
        "person_id": house.person_id,
        "base_url": API,
    } | changed
    with pytest.raises(Refused) as refused:
        connections.pair(OPERATOR, given.pop("site_id"), **given)
    assert refused.value.code == code
    assert not house.cms.counts and house.live_keys() == []


def test_three_failed_checks_send_one_event_until_a_check_succeeds(house: Connected) -> None:
    house.pair()
    for _ in range(2):  # two incidents
        house.cms.misbehave("down")
        for failures in (1, 2, 3, 4, 5):
            house.look_again()
            writer = house.writer()
            assert writer is not None and writer.failures == failures
            assert writer.broken == (failures >= 3)
            job = house.job()
            assert job is not None
            wait = BROKEN_CHECK_SECONDS if writer.broken else FAILING_SECONDS
            assert wait - 60 < job.due_at - clock.now() <= wait
        house.cms.misbehave("none")
        house.look_again()
        writer = house.writer()
        assert writer is not None and writer.writable and writer.error is None
    told = [event for event in webhooks.pending() if event.kind == "connection.broken"]
    assert len(told) == len({event.id for event in told}) == 2
    assert told[0].fields["connection"] == "cms"


def test_a_requested_check_calls_the_cms_at_once(house: Connected) -> None:
    with pytest.raises(Refused) as refused:
        connections.check(OPERATOR, house.site_id)
    assert refused.value.code == "not_connected"
    house.pair()
    house.cms.misbehave("access")
    found = connections.check(OPERATOR, house.site_id).cms
    assert found is not None and "connect it again" in (found.error or "")
    assert (found.broken, found.writable) == (True, False), "refused access is lost at once"
    house.cms.misbehave("none")
    found = connections.check(OPERATOR, house.site_id).cms
    assert found is not None and found.writable and found.error is None


@pytest.mark.parametrize("fault", ["access", "down", "partial"])
def test_a_failed_check_brings_the_next_check_forward(fault: str, house: Connected) -> None:
    house.pair()
    before = house.job()
    assert before is not None and before.due_at - clock.now() > CHECK_SECONDS - 60
    house.cms.misbehave(fault)
    connections.check(OPERATOR, house.site_id)
    job = house.job()
    assert job is not None and job.due_at - clock.now() <= FAILING_SECONDS
    house.cms.misbehave("none")
    house.look_again()
    writer, job = house.writer(), house.job()
    assert writer is not None and job is not None
    assert writer.writable and job.due_at - clock.now() > CHECK_SECONDS - 60


def test_disconnecting_revokes_the_key_and_stops_the_checks(house: Connected) -> None:
    house.pair()
    connections.remove(OPERATOR, house.site_id, "cms")
    assert (house.live_keys(), house.writer(), house.job(), stored.get(house.site_id, "cms")) == ([], None, None, None)
    with pytest.raises(Refused) as refused:
        connections.remove(OPERATOR, house.site_id, "cms")
    assert refused.value.code == "not_connected"


def test_removing_the_website_removes_the_secret_the_key_and_the_job(house: Connected) -> None:
    house.pair()
    websites.remove(OPERATOR, house.site_id)
    assert house.live_keys() == []
    assert not [row for row in aws.rows("sites") + aws.rows("jobs") if house.site_id in "".join(row)]


def test_a_duplicate_or_early_message_does_nothing(house: Connected) -> None:
    house.pair()
    asked = house.cms.counts["status"]
    imports.handle({"siteId": house.site_id, "jobId": connections.job_id("cms")}, None)
    imports.handle({"siteId": house.site_id, "jobId": "unknown"}, None)
    assert house.cms.counts["status"] == asked
    assert keys.job(house.site_id, "x")[0] == keys.site_partition(house.site_id)


def test_a_check_that_repeatedly_kills_its_worker_waits_for_its_next_time(house: Connected) -> None:
    house.pair()
    job = house.job()
    assert job is not None
    asked, clock_before = house.cms.counts["status"], clock.offset()
    clock.set_offset(clock_before + job.due_at - clock.now() + 1)
    for _ in range(STALLED_TAKEOVERS):
        assert jobs.claim(job, now=clock.now(), lease_until=clock.now() + 1, lane=LANES["imports"]) is not None
        clock.set_offset(clock.offset() + 2)
        job = house.job()
        assert job is not None
    imports.handle({"siteId": house.site_id, "jobId": job.id}, None)
    after = house.job()
    assert after is not None and (after.stalled, house.cms.counts["status"]) == (0, asked)
    assert after.due_at > clock.now() + CHECK_SECONDS - 60
