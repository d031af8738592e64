"""The workspace's screens at the limits of everything, with texts that mean harm: small, few calls, no markup."""

from typing import Any

import msgspec
import pytest

from bench.web import MOST_BYTES, MOST_CALLS
from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.webhooks.delivery import Attempt
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.operations import accounts, endpoints, websites
from chalicelib.store import acts, api_keys, deliveries, items, keys, shapes
from chalicelib.store.transactions import commit
from chalicelib.web.choosing import MOST_TICKED
from tests import aws
from tests.api.conftest import House, settle
from tests.web.conftest import Browser, signed_in
from tests.web.settings import names_of
from tests.web.test_limits import MOST_HOSTILE_BYTES, NAME_HARM, Harmful, assert_harmless

NAME = Harmful(NAME_HARM) * 100
TEXT = Harmful(NAME_HARM)
MANY = 30  # more than a screen lists


@pytest.fixture
def full(store: None) -> House:
    """A workspace in which everything is as long, and there is as much of it, as a screen shows at once."""
    house = settle(plan="enterprise")
    sites = [house.site.id, house.other_site.id]
    for number in range(MOST_TICKED - len(sites)):
        host = f"{number}.{'a' * 60}.{'b' * 60}.example"
        sites.append(websites.add(OPERATOR, house.workspace_id, f"https://{host}/", name=NAME).id)
    for number in range(MANY):
        email = f"{number:02d}{'e' * 60}@{'.'.join(['d' * 60] * 3)}.example"
        person = accounts.add_person(OPERATOR, house.workspace_id, email, "client_viewer", sites)
        accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, SCOPES, sites, NAME)
        address = "https://hooks.example/" + "a'b&" * 490
        endpoints.add(OPERATOR, house.workspace_id, address, EVENT_KINDS)
    for _ in range(60):
        commit(
            [acts.done("accounts", OPERATOR, house.workspace_id, "key.made", clock.now(), person.id, str(TEXT * 300))]
        )
    return house


def fill(delivery_id: str) -> None:
    """The delivery has a large body, and each of its tries a long answer."""
    attempt = Attempt(clock.now(), "status", 500, 20_000, str(TEXT * 1_024), str(TEXT * 500), replay=True)
    values: dict[str, Any] = {
        ":attempts": [msgspec.to_builtins(attempt)] * endpoints.MOST_ATTEMPTS,
        ":body": shapes.DELIVERY_BODY.pack(msgspec.json.encode({"texts": [str(TEXT * 200_000)]})),
    }
    items.update(
        deliveries.TABLE,
        *keys.delivery(delivery_id),
        "SET attempts = :attempts, #body = :body",
        names={"#body": "body"},
        values=values,
    )


def test_screens_of_a_full_workspace_with_hostile_texts_are_small_and_safe(full: House) -> None:
    names = names_of(full)
    fill(names["deliveryId"])
    browser = signed_in(full)
    key = max(api_keys.list_all(full.workspace_id), key=lambda one: len(one.name or ""))
    names["keyId"] = key.id
    browser.get("/app")
    for path in (
        *("keys", "keys/{keyId}", "keys/{keyId}?ask=revoke", "people", "people/{personId}"),
        *("webhooks", "webhooks/{endpointId}", "webhooks/{endpointId}/deliveries/{deliveryId}", "plan", "log"),
    ):
        with aws.counted_calls() as calls:
            screen = browser.get("/app/settings/" + path.format(**names))
        assert screen.status == 200, (path, screen.main[:300])
        assert calls.total() <= MOST_CALLS, (path, dict(calls))
        assert len(screen.text.encode()) <= MOST_HOSTILE_BYTES, (path, len(screen.text.encode()))
        assert_harmless(screen)


def test_screens_of_a_workspace_with_hundreds_of_entries_are_small(store: None) -> None:
    house = settle(plan="enterprise")
    for number in range(MOST_TICKED - 2):
        websites.add(OPERATOR, house.workspace_id, f"https://shop-{number}.customer.example/", name=f"Shop {number}")
    browser: Browser = signed_in(house)
    names = names_of(house)
    for path in ("keys", "keys/{keyId}", "people", "people/{personId}", "webhooks", "webhooks/{endpointId}", "log"):
        screen = browser.get("/app/settings/" + path.format(**names))
        assert len(screen.text.encode()) <= MOST_BYTES, (path, len(screen.text.encode()))
