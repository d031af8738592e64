"""Slots of a webhook endpoint: which are taken, and how they are stored."""

import pytest

from chalicelib.store import items, keys, slots
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit

OF = slots.of_endpoint("end_1")
NOW = 4e9  # later than the real clock, so that nothing counts as ended


@pytest.mark.usefixtures("embedded_aws")
def test_slots_for_deliveries_are_stored_under_the_names_of_earlier_versions() -> None:
    commit([slots.take(OF, 3, NOW, NOW + slots.LEASE_SECONDS)])
    row = items.get("webhooks", "END#end_1", "PLACES")
    assert row is not None
    assert row["place3"] == NOW + slots.LEASE_SECONDS
    assert row["ttl"] == NOW + slots.LEASE_SECONDS + 86_400
    assert slots.taken(row) == {3: NOW + slots.LEASE_SECONDS}
    commit([slots.free(OF, 3)])
    assert slots.taken(items.get("webhooks", *keys.endpoint_slots("end_1"))) == {}


@pytest.mark.usefixtures("store")
def test_a_slot_for_a_delivery_cannot_be_taken_until_its_lease_ends() -> None:
    commit([slots.take(OF, 0, NOW, NOW + 60)])
    for later in (0, 59):
        with pytest.raises(Conflict) as conflict:
            commit([slots.take(OF, 0, NOW + later, NOW + 120)])
        assert list(conflict.value.failed) == [slots.SLOT]
    commit([slots.take(OF, 0, NOW + 60, NOW + 120)])
    with pytest.raises(Conflict):  # a lease that clocks may differ by
        commit([slots.take(OF, 0, NOW, NOW + 60)])
    commit([slots.take(OF, 0, NOW - 1, NOW + 60)])  # the clock was set back


def test_simultaneous_deliveries_try_different_slots_first() -> None:
    assert {slots.pick(OF, {}, NOW, f"dlv_{number}") for number in range(5)} == set(range(5))


def test_a_slot_is_free_once_its_lease_has_ended_or_lies_impossibly_far_ahead() -> None:
    held = dict.fromkeys(range(slots.ENDPOINT_SLOTS), NOW + slots.LEASE_SECONDS)
    assert slots.pick(OF, held, NOW, "dlv_1") is None
    assert slots.pick(OF, held | {2: NOW}, NOW, "dlv_1") == 2
    assert slots.pick(OF, held | {4: slots.beyond(OF, NOW)}, NOW, "dlv_1") is None, (
        "as the store's own condition has it"
    )
    assert slots.pick(OF, held | {4: slots.beyond(OF, NOW) + 1}, NOW, "dlv_1") == 4
    assert slots.pick(OF, {}, NOW, "dlv_1") in range(slots.ENDPOINT_SLOTS)
