"""A store that is restored from a backup: it goes on where it was, under the same ids and with the same secrets."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import endpoints, pending
from chalicelib.operations.errors import Refused
from chalicelib.settings.core import core_settings
from chalicelib.store import client, keys, secrets
from chalicelib.store import endpoints as stored
from chalicelib.workers import sweeper
from local import embedded
from local.sweeps import GRACE_SECONDS
from tests import aws, webhooks
from tests.changes import House, open_house
from tests.plugins import strict_aws
from tests.servers.receiver import Receiver

pytestmark = pytest.mark.usefixtures("store")

Backup = dict[str, list[dict[str, Any]]]


def backup() -> Backup:
    """Every row as it is stored, as a point in time has them."""
    found: Backup = {}
    with strict_aws.scans_allowed():
        for table in keys.TABLES:
            answer = client.dynamodb().scan(TableName=core_settings().table_prefix + table)
            assert "LastEvaluatedKey" not in answer
            found[table] = answer["Items"]
    return found


def restore(rows: Backup) -> None:
    """A second stack: its queues are empty, and its tables hold the backup."""
    embedded.clear()
    for table, found in rows.items():
        for row in found:
            client.dynamodb().put_item(TableName=core_settings().table_prefix + table, Item=row)


def counted() -> dict[str, int]:
    return {kind.name: kind.due for kind in pending.count(OPERATOR, clock.now()) if kind.due}


def worked_off(house: House) -> None:
    """As the workers do when they are started: the sweeper finds everything that is overdue."""
    clock.set_offset(clock.offset() + GRACE_SECONDS)
    sweeper.run()
    webhooks.deliver()
    house.write()


def test_restored_work_is_done_with_the_same_ids_as_before_the_backup(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_house(monkeypatch) as house, Receiver() as receiver:
        workspace_id = house.website.workspace_id
        made = endpoints.add(OPERATOR, workspace_id, receiver.url(), ["audit.finished"])
        ping = endpoints.ping(OPERATOR, workspace_id, made.endpoint.id)
        batch = house.apply({"/a": "All about A"})
        rows = backup()
        webhooks.deliver()
        house.write()
        assert len(receiver.arrivals) == 1 and house.statuses(batch) == {"/a": "applied"}
        written = len(house.cms.writes)

        restore(rows)
        assert not [queue for queue in ("deliveries", "writes") if aws.messages(queue)]
        assert house.statuses(batch) == {"/a": "approved"}
        assert counted()["deliveries"] == 1 and counted()["write"] == 1
        endpoint = stored.get(workspace_id, made.endpoint.id)
        assert endpoint is not None
        opened = secrets.unseal(endpoint.secret, **stored.context(workspace_id, endpoint.id))
        assert opened.reveal() == made.secret.reveal()

        worked_off(house)
        assert [one.headers["X-Service-Delivery"] for one in receiver.arrivals] == [ping.id, ping.id]
        assert house.statuses(batch) == {"/a": "applied"} and house.held("/a") == "All about A"
        assert len(house.cms.writes) == written, "the CMS knows the change by its id"
        assert "deliveries" not in counted() and "write" not in counted()


def test_pending_work_created_after_the_given_time_is_counted_but_not_as_due() -> None:
    webhooks.endpoint("https://hook.example/")
    webhooks.publish(webhooks.event())
    webhooks.hand_over()
    at = webhooks.log()[0].created_at
    assert pending.count(OPERATOR, clock.now()) == [pending.Kind("deliveries", 1, 1, at)]
    assert pending.count(OPERATOR, clock.now() - 3_600) == [pending.Kind("deliveries", 1, 0, at)]


def test_only_the_operator_can_count_all_pending_work() -> None:
    with pytest.raises(Refused) as refused:
        pending.count(Actor("wsp_1", "usr_1", "owner"), clock.now())
    assert refused.value.code == "not_allowed"
