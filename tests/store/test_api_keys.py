"""Authentication: one round trip, exactly 1,200 requests of a key in a clock hour."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.store import accounts, api_keys, items, keys
from chalicelib.store.api_keys import KeyUnknown, LimitReached
from chalicelib.store.transactions import commit
from tests import aws

pytestmark = pytest.mark.usefixtures("store")

HOUR = 3600.0
NOON = 500_000 * HOUR
EXACT = pytest.mark.calm("of requests at once one whose answer is lost may count twice, and they are counted")


def make_key(site_ids: list[str] | None = None) -> api_keys.ApiKey:
    parts = key_format.parse(key_format.make("workspace", bytes(range(32))))
    assert parts is not None
    key = api_keys.listed("key_1", "wsp_1", parts, ["sites:read", "audits:run"], site_ids, "usr_1", 1.0)
    commit(api_keys.new(key, "member"))
    return key


def passes(sha256: str, now: float) -> bool:
    try:
        api_keys.authenticate(sha256, now)
    except LimitReached:
        return False
    return True


def test_a_known_key_is_read_with_its_rights_in_one_call() -> None:
    key = make_key(["site_1"])
    api_keys.authenticate(key.sha256, NOON)
    with aws.counted_calls() as calls:
        auth = api_keys.authenticate(key.sha256, NOON + 59)
    assert calls == {"UpdateItem": 1}
    assert (auth.key_id, auth.kind, auth.workspace_id, auth.person_id) == ("key_1", "workspace", "wsp_1", "usr_1")
    assert (auth.site_ids, auth.scopes) == (("site_1",), ("sites:read", "audits:run"))
    assert (auth.role, auth.owner_state) == ("member", "ok")
    assert (auth.limit, auth.remaining, auth.reset_at) == (1200, 1198, NOON + HOUR)


def test_a_key_for_all_websites_has_no_website_list() -> None:
    assert api_keys.authenticate(make_key().sha256, NOON).site_ids is None


def test_an_unknown_key_is_refused_and_stores_nothing() -> None:
    with pytest.raises(KeyUnknown):
        api_keys.authenticate("0" * 64, NOON)
    assert aws.rows("accounts") == []


def test_a_revoked_key_is_refused_even_when_its_hourly_limit_is_reached() -> None:
    key = make_key()
    for _ in range(3):
        api_keys.authenticate(key.sha256, NOON)
    commit(api_keys.revoked(key, NOON))
    for now in (NOON, NOON + HOUR):
        with pytest.raises(KeyUnknown):
            api_keys.authenticate(key.sha256, now)


def test_the_request_count_starts_again_each_hour() -> None:
    key = make_key()
    assert api_keys.authenticate(key.sha256, NOON).remaining == 1199
    assert api_keys.authenticate(key.sha256, NOON + HOUR - 1).remaining == 1198
    with aws.counted_calls() as calls:
        auth = api_keys.authenticate(key.sha256, NOON + HOUR)
    assert calls == {"UpdateItem": 2}
    assert (auth.remaining, auth.reset_at) == (1199, NOON + 2 * HOUR)


def test_a_request_with_a_slightly_late_clock_counts_in_the_current_hour() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    auth = api_keys.authenticate(key.sha256, NOON - 1)
    assert (auth.remaining, auth.reset_at) == (1198, NOON + HOUR)


def test_the_limit_error_gives_the_key_and_the_end_of_the_hour() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    items.update(accounts.TABLE, *keys.key_secret(key.sha256), "SET used = :n", values={":n": 1_199})
    assert [passes(key.sha256, NOON) for _ in range(3)] == [True, False, False]
    with pytest.raises(LimitReached) as caught:
        api_keys.authenticate(key.sha256, NOON + 1)
    assert (caught.value.auth.key_id, caught.value.auth.remaining) == ("key_1", 0)
    assert caught.value.auth.reset_at == NOON + HOUR
    assert passes(key.sha256, NOON + HOUR)


@EXACT
def test_exactly_1200_of_1500_concurrent_requests_in_an_hour_pass() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON - 1)  # the hour turns under load
    with ThreadPoolExecutor(16) as pool:
        answers = Counter(pool.map(lambda _: passes(key.sha256, NOON + 7), range(1_500)))
    assert answers == {True: 1_200, False: 300}


def test_more_requests_than_the_limit_never_pass_even_if_database_calls_fail() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    items.update(accounts.TABLE, *keys.key_secret(key.sha256), "SET used = :n", values={":n": 1_150})
    with ThreadPoolExecutor(8) as pool:
        served = sum(pool.map(lambda _: passes(key.sha256, NOON), range(120)))
    assert 0 < served <= 50


@EXACT
def test_concurrent_requests_of_two_hours_never_exceed_the_limit() -> None:
    key = make_key()
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: passes(key.sha256, NOON + HOUR * (n % 2)), range(200)))
    assert all(answers)
    auth = api_keys.authenticate(key.sha256, NOON + HOUR)
    assert auth.reset_at == NOON + 2 * HOUR
    assert 100 <= 1_200 - auth.remaining <= 201


def test_all_store_modules_share_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    import botocore.session

    from chalicelib.store import client, websites

    accounts.workspace("wsp_1")
    made: list[str] = []
    inner = botocore.session.Session.create_client

    def counting(self: botocore.session.Session, service: str, *args: object, **kwargs: object) -> object:
        made.append(service)
        return inner(self, service, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(botocore.session.Session, "create_client", counting)
    client.reset()
    accounts.workspace("wsp_1")
    accounts.person("wsp_1", "usr_1")
    api_keys.get("key_1")
    websites.get("wsp_1", "site_1")
    api_keys.authenticate(make_key().sha256, clock.now())
    assert made == ["dynamodb"]
