"""Connecting a website to its search data, over the wire against the stand-in: what is kept, replaced and removed."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.connectors.errors import NotConnected
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import sources, websites
from chalicelib.operations.errors import Refused
from chalicelib.operations.sources import StoredAccount
from chalicelib.store import items
from chalicelib.store import sources as stored
from tests import aws, webhooks
from tests.searched import PROPERTY, Searched, searched

SCOPE = "https://www.googleapis.com/auth/webmasters.readonly"


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Searched]:
    with searched(monkeypatch, 3) as found:
        yield found


def test_connecting_encrypts_the_account_and_starts_its_import(house: Searched) -> None:
    source = house.connect()
    assert house.source() == source
    assert (source.name, source.account) == (PROPERTY, house.search.accounts.key_file()["client_email"])
    credentials = stored.get(house.site_id, "search")
    assert credentials is not None
    key = house.search.accounts.key_file()["private_key"]
    assert google.unpacked(credentials.secret().reveal()) == google.account(house.search.accounts.key_file())
    rows = [items.get(table, pk, sk) for table in ("sites", "jobs", "accounts") for pk, sk in aws.rows(table)]
    assert not [row for row in rows if key[60:120] in str(row)]
    (message,) = aws.messages("imports")
    assert message["jobId"] == sources.job_id("search")


@pytest.mark.parametrize(
    "changed",
    [
        {"property": 5},
        {"property": ""},
        {"property": "shop.example"},
        {"property": "https://shop.example"},
        {"property": "ftp://shop.example/"},
        {"property": "https://other.example/"},
        {"property": "https://blog.shop.example/"},
        {"property": "sc-domain:"},
        {"property": "sc-domain:hop.example"},
        {"property": "sc-domain:other.example"},
        {"property": "https://shop.example/" + "a" * 3_000 + "/"},
        {"credentials": None},
        {"credentials": {"type": "service_account"}},
        {"credentials": "{}"},
    ],
)
def test_invalid_values_are_refused_without_calling_google(house: Searched, changed: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        house.connect(**changed)
    assert refused.value.code == "bad_credentials"
    assert house.search.answers == 0 and house.source() is None and house.job() is None


@pytest.mark.parametrize("name", ["sc-domain:example", "https://www.shop.example/", "https://shop.example/part/"])
def test_a_property_of_the_website_can_be_connected(house: Searched, name: str) -> None:
    house.search.property = name
    assert house.connect(property=name).name == name


@pytest.mark.parametrize(("fault", "said"), [("access", "permission"), ("down", "503"), ("quota", "quota")])
def test_an_account_that_cannot_read_the_property_is_not_connected(house: Searched, fault: str, said: str) -> None:
    house.search.misbehave(fault)
    with pytest.raises(Refused, match=said) as refused:
        house.connect()
    assert refused.value.code == "cannot_connect"
    assert (house.source(), house.job(), stored.get(house.site_id, "search")) == (None, None, None)


def test_a_member_cannot_connect_or_disconnect_search_data(house: Searched) -> None:
    member = Actor(house.workspace_id, "usr_1", "member")
    for asked in (
        lambda: sources.connect_search(member, house.site_id, name=PROPERTY, credentials={}),
        lambda: sources.remove(member, house.site_id, "search"),
    ):
        with pytest.raises(Refused) as refused:
            asked()
        assert refused.value.code == "not_allowed"


def test_reconnecting_the_same_property_keeps_imported_data(house: Searched) -> None:
    house.connect()
    house.work()
    before = house.manifests()
    assert len(before) == 4 and house.website().search is not None
    house.search.accounts.forget_tokens()
    house.connect()
    assert house.manifests() == before and house.website().search is not None


def test_connecting_another_property_deletes_imported_data(house: Searched) -> None:
    house.connect()
    house.work()
    house.search.property = "https://shop.example/"
    house.connect(property="https://shop.example/")
    assert house.manifests() == {} and house.website().search is None
    clock.set_offset(clock.offset() + 200)
    house.work()
    assert set(house.blocks()) == house.named() != set()


def test_after_disconnecting_the_next_worker_deletes_the_imported_data(house: Searched) -> None:
    house.connect()
    house.work()
    clock.set_offset(clock.offset() + 200)
    sources.remove(OPERATOR, house.site_id, "search")
    assert (house.source(), house.website().search, stored.get(house.site_id, "search")) == (None, None, None)
    assert house.manifests() == {}
    house.work()
    assert aws.rows("search") == []
    job = house.job()
    assert job is not None and job.ended
    with pytest.raises(Refused) as refused:
        sources.remove(OPERATOR, house.site_id, "search")
    assert refused.value.code == "not_connected"
    house.connect()
    house.work()
    assert len(house.manifests()) == 4


def test_removing_the_website_removes_its_search_data_and_its_job(house: Searched) -> None:
    house.connect()
    house.work()
    websites.remove(OPERATOR, house.site_id)
    assert aws.rows("search") == [] and not [
        row for row in aws.rows("sites") + aws.rows("jobs") if house.site_id in row[0]
    ]


def test_a_requested_check_updates_the_state_of_the_connection(house: Searched) -> None:
    assert sources.check(OPERATOR, house.site_id) == []
    house.connect()
    house.search.misbehave("access")
    for _ in range(2):
        (source,) = sources.check(OPERATOR, house.site_id)
        assert source.broken and "permission" in (source.error or "")
    house.search.misbehave("quota")
    (source,) = sources.check(OPERATOR, house.site_id)
    assert source.broken, "a full quota says nothing of access"
    house.search.misbehave("none")
    (source,) = sources.check(OPERATOR, house.site_id)
    assert not source.broken and source.trouble is None
    told = [event for event in webhooks.pending() if event.kind == "connection.broken"]
    assert len(told) == 1 and told[0].fields["connection"] == "search"


def test_a_person_can_start_an_import(house: Searched) -> None:
    with pytest.raises(Refused) as refused:
        sources.run(OPERATOR, house.site_id, "search")
    assert refused.value.code == "not_connected"
    house.connect()
    house.work()
    asked = house.search.answers
    sources.run(OPERATOR, house.site_id, "search")
    assert len(aws.messages("imports")) == 1
    house.work()
    assert house.search.answers > asked
    with pytest.raises(Refused) as refused:
        sources.run(OPERATOR, house.site_id, "cms")
    assert refused.value.code == "bad_connection"


# -- refresh tokens ---------------------------------------------------------------------------------------


@pytest.fixture
def granted(house: Searched) -> Searched:
    house.search.accounts.rotates = True
    house.connect(credentials=house.search.accounts.grant_file())
    return house


def kept(house: Searched) -> StoredAccount:
    credentials = stored.get(house.site_id, "search")
    assert credentials is not None
    return StoredAccount(credentials)


def test_a_token_replaced_while_connecting_is_stored(granted: Searched) -> None:
    assert kept(granted).account() == google.account(granted.search.accounts.grant_file())


def test_a_process_uses_the_new_token_that_another_process_has_stored(granted: Searched) -> None:
    one, other = kept(granted), kept(granted)
    google.forget_tokens()
    late = other.account()
    assert isinstance(late, google.GrantedAccount)
    google.access_token(one, SCOPE)
    newest = one.account()
    assert newest == google.account(granted.search.accounts.grant_file()) != late
    other.rotated(late, google.GrantedAccount(client_id="c", client_secret="s", refresh_token="lost"))
    assert kept(granted).account() == newest, "what the first one kept still stands"
    google.forget_tokens()
    token = google.access_token(other, SCOPE)
    assert granted.search.accounts.allows(f"Bearer {token}", SCOPE)


def test_a_token_replaced_during_an_import_is_kept(granted: Searched) -> None:
    google.forget_tokens()
    granted.work()
    assert kept(granted).account() == google.account(granted.search.accounts.grant_file())
    source = granted.source()
    assert source is not None and source.trouble is None


def test_the_credentials_of_a_replaced_connection_are_not_used(granted: Searched) -> None:
    before = kept(granted)
    granted.connect()
    with pytest.raises(NotConnected):
        before.account()
