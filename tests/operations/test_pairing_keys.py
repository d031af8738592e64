"""The key that lies in a customer's CMS or shop: it may send content and alerts, and nothing else."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.operations import accounts, pairing_keys
from chalicelib.settings.reading import forget_settings
from chalicelib.store import api_keys
from chalicelib.store import connections as stored
from chalicelib.store.api_keys import Auth
from chalicelib.store.transactions import commit
from tests.api.client import Client
from tests.connections import Connected, connectable

ONE = ("content:write",)


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connected]:
    monkeypatch.setenv("CURSOR_SECRET", "a secret of the tests")
    with connectable(monkeypatch) as found:
        yield found
    forget_settings()


def key_of_the_cms(house: Connected) -> str:
    house.pair()
    assert house.cms.pairing is not None
    return house.cms.pairing.website_key


def may(secret: str) -> Auth:
    parts = key_format.parse(secret)
    assert parts is not None
    return api_keys.authenticate(parts.sha256, clock.now())


def as_before(house: Connected) -> str:
    """A pairing as earlier releases made it: its key has every scope."""
    secret = key_of_the_cms(house)
    key = api_keys.get(may(secret).key_id)
    assert key is not None
    commit(api_keys.edited(key, list(SCOPES), key.site_ids))
    return secret


def test_the_key_of_a_pairing_may_only_send_content_and_alerts(house: Connected) -> None:
    secret = key_of_the_cms(house)
    assert may(secret).scopes == ONE
    client, site = Client(secret), f"/sites/{house.site_id}"

    def sent(method: str, path: str, body: dict[str, Any]) -> int:
        headers = {"Content-Type": "application/json"}
        return client.request(method, site + path, headers=headers, body=json.dumps(body)).status

    item = {"cmsId": "1", "url": "https://shop.example/a", "type": "page", "status": "published", "title": "A"}
    assert sent("PUT", "/content", {"items": [item]}) == 202
    alert: dict[str, Any] = {"kind": "settings_changed", "at": clock.utc(clock.now()).isoformat()}
    assert sent("POST", "/alerts", alert) == 202
    refused = [client.get(f"{site}{path}").status for path in ("", "/pages", "/issues", "/search/summary", "/geo")]
    refused.append(sent("POST", "/audits", {}))
    assert refused == [403] * 6


def test_only_keys_created_by_earlier_pairings_lose_rights(house: Connected) -> None:
    secret = as_before(house)
    by_hand = accounts.create_website_key(OPERATOR, house.site_id, house.person_id).secret
    of_all = accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, SCOPES).secret
    (found,) = pairing_keys.wide(house.workspace_id)
    assert (found.key.id, found.site_id, found.kind) == (may(secret).key_id, house.site_id, "cms")
    assert [one.key.id for one in pairing_keys.narrow(OPERATOR, house.workspace_id)] == [found.key.id]
    assert may(secret).scopes == ONE
    assert may(by_hand).scopes == may(of_all).scopes == tuple(SCOPES)
    listed = api_keys.get(found.key.id)
    assert listed is not None and tuple(listed.scopes) == ONE
    assert pairing_keys.narrow(OPERATOR, house.workspace_id) == pairing_keys.wide(house.workspace_id) == []


def test_the_key_of_an_interrupted_pairing_loses_its_additional_rights_too(house: Connected) -> None:
    as_before(house)
    credentials = stored.get(house.site_id, "cms")
    assert credentials is not None
    commit([stored.removed(credentials), stored.begin_pairing(credentials, None)])
    assert [one.key.id for one in pairing_keys.narrow(OPERATOR, house.workspace_id)] == [credentials.key_id]


def test_a_revoked_key_or_one_with_fewer_rights_is_left_unchanged(house: Connected) -> None:
    key_id = may(as_before(house)).key_id
    accounts.edit_key(OPERATOR, key_id, scopes=["sites:read"])
    assert pairing_keys.wide(house.workspace_id) == []
    accounts.edit_key(OPERATOR, key_id, scopes=SCOPES)
    accounts.revoke_key(OPERATOR, key_id)
    assert pairing_keys.narrow(OPERATOR, house.workspace_id) == []
