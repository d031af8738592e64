"""Sign-in links and sessions as they are stored: their ends, their counts, and how many calls they take."""

from hashlib import sha256

import pytest

from chalicelib.domain.accounts import sign_in
from chalicelib.store import items, keys, sessions
from chalicelib.store.sessions import LimitReached, Membership, Session
from tests import aws

pytestmark = pytest.mark.usefixtures("store")

HOUR = 3_600
NOON = 1_800_000_000.0 // HOUR * HOUR + 0.5
LINK, SECRET, OTHER = (sha256(name.encode()).hexdigest() for name in ("link", "secret", "other"))
ADA = "ada@example.org"


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_at(monkeypatch, NOON)


def stand_at(monkeypatch: pytest.MonkeyPatch, now: float) -> None:
    monkeypatch.setattr("chalicelib.clock.now", lambda: now)


def begun(secret: str = SECRET, email: str = ADA, at: float = NOON) -> None:
    sessions.put_link(LINK, email, at)
    assert sessions.begin(LINK, email, secret, at)


def used(secret: str = SECRET) -> int:
    row = items.get("accounts", *keys.session(secret))
    assert row is not None
    return int(row["used"])


def test_a_sign_in_link_is_valid_for_fifteen_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions.put_link(LINK, ADA, NOON)
    stand_at(monkeypatch, NOON + 899)
    found = sessions.link(LINK)
    assert found is not None and (found.email, found.expires_at) == (ADA, int(NOON) + 900)
    stand_at(monkeypatch, NOON + 900)
    assert sessions.link(LINK) is None
    assert not sessions.begin(LINK, ADA, SECRET, NOON + 900)
    assert sessions.find(SECRET, NOON + 900) is None


def test_a_used_link_starts_no_second_session() -> None:
    begun()
    assert sessions.link(LINK) is None
    assert not sessions.begin(LINK, ADA, OTHER, NOON + 1)
    assert sessions.find(OTHER, NOON + 1) is None


def test_reading_a_session_takes_one_call_and_in_a_new_hour_two_calls() -> None:
    begun()
    with aws.counted_calls() as first:
        assert sessions.find(SECRET, NOON) == Session(ADA, SECRET, NOON, NOON)
    with aws.counted_calls() as second:
        assert sessions.find(SECRET, NOON + 60) == Session(ADA, SECRET, NOON, NOON + 60)
    assert (first, second) == ({"UpdateItem": 2}, {"UpdateItem": 1})


def test_a_session_ends_after_twelve_hours_without_a_request() -> None:
    begun()
    assert sessions.find(SECRET, NOON + 12 * HOUR - 1) is not None
    assert sessions.find(SECRET, NOON + 24 * HOUR - 2) is not None
    assert sessions.find(SECRET, NOON + 36 * HOUR) is None
    assert sessions.list_all(ADA, NOON + 36 * HOUR) == []


def test_a_session_ends_after_thirty_days_even_when_it_is_used() -> None:
    begun()
    last = NOON
    while last + 11 * HOUR < NOON + 30 * 86_400:
        last += 11 * HOUR
        assert sessions.find(SECRET, last) is not None
    assert sessions.find(SECRET, NOON + 30 * 86_400 - 1) is not None
    assert sessions.find(SECRET, NOON + 30 * 86_400) is None


def test_requests_per_hour_are_limited_and_refused_ones_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sessions._IN_HOUR[2], ":limit", 3)
    monkeypatch.setattr(sign_in, "REQUESTS_PER_HOUR", 3)
    begun()
    for _ in range(3):
        assert sessions.find(SECRET, NOON) is not None
    with pytest.raises(LimitReached) as reached:
        sessions.find(SECRET, NOON)
    assert reached.value.reset_at == (NOON // HOUR + 1) * HOUR
    assert used() == 3
    assert sessions.find(SECRET, NOON + HOUR) is not None
    assert used() == 1


def test_a_session_may_make_5000_requests_an_hour() -> None:
    assert sign_in.REQUESTS_PER_HOUR == sessions._IN_HOUR[2][":limit"] == 5_000


def test_a_late_request_does_not_bring_back_a_session_that_has_ended() -> None:
    begun()
    assert sessions.end(ADA, SECRET)
    assert sessions.find(SECRET, NOON) is None
    assert aws.rows("accounts") == []


def test_a_session_can_be_ended_only_with_the_email_address_that_it_belongs_to() -> None:
    begun()
    assert not sessions.end("eve@example.org", SECRET)
    assert sessions.find(SECRET, NOON) is not None
    assert sessions.end("ADA@example.org", SECRET)
    assert not sessions.end(ADA, SECRET)


def test_sessions_of_an_email_address_are_listed_by_last_use() -> None:
    begun()
    begun(OTHER, at=NOON + 5)
    begun(sha256(b"third").hexdigest(), "eve@example.org")
    sessions.find(SECRET, NOON + 60)
    with aws.counted_calls() as calls:
        found = sessions.list_all("Ada@Example.org", NOON + 60)
    assert [one.key for one in found] == [SECRET, OTHER]
    assert calls == {"Query": 1, "BatchGetItem": 1}


def entered(workspace_id: str, role: str, **person: object) -> None:
    """An entry of ADA's address that says owner, and its person."""
    pk, sk = keys.workspace_of_address(ADA, workspace_id)
    row = {"workspaceId": workspace_id, "workspaceName": "Acme", "personId": "usr_1", "email": ADA, "role": "owner"}
    items.put("accounts", {"pk": pk, "sk": sk, **row})
    pk, sk = keys.person(workspace_id, "usr_1")
    items.put("accounts", {"pk": pk, "sk": sk, "id": "usr_1", "email": ADA, "role": role, **person})


def test_listing_the_workspaces_of_an_address_takes_two_calls() -> None:
    entered("wsp_1", "client_viewer")
    entered("wsp_2", "admin", siteIds=["site_1"])
    entered("wsp_3", "client_viewer", siteIds=["site_1"])
    begun()
    with aws.counted_calls() as calls:
        found = sessions.workspaces("ADA@example.org")
    assert found == [
        Membership("wsp_1", "Acme", "usr_1", "client_viewer", frozenset()),
        Membership("wsp_2", "Acme", "usr_1", "admin", None),
        Membership("wsp_3", "Acme", "usr_1", "client_viewer", frozenset({"site_1"})),
    ]
    assert calls == {"Query": 1, "BatchGetItem": 1}


def test_an_email_address_whose_person_record_is_missing_gives_no_access() -> None:
    entered("wsp_1", "admin")
    entered("wsp_2", "admin")
    assert sessions.known_address("ADA@example.org") == ADA
    items.delete("accounts", *keys.person("wsp_1", "usr_1"))
    assert [one.workspace_id for one in sessions.workspaces(ADA)] == ["wsp_2"]
    items.delete("accounts", *keys.person("wsp_2", "usr_1"))
    assert sessions.workspaces(ADA) == [] and sessions.known_address(ADA) is None
    with aws.counted_calls() as calls:
        assert sessions.workspaces("eve@example.org") == []
    assert calls == {"Query": 1}


def test_requested_links_are_counted_for_each_requester_and_hour() -> None:
    for _ in range(2):
        sessions.count_link("email", ADA, 2, NOON)
    with pytest.raises(LimitReached) as reached:
        sessions.count_link("email", ADA.upper(), 2, NOON)
    assert reached.value.reset_at == (NOON // HOUR + 1) * HOUR
    sessions.count_link("ip", ADA, 2, NOON)
    sessions.count_link("email", "eve@example.org", 2, NOON)
    sessions.count_link("email", ADA, 2, NOON + HOUR)
    assert ADA not in str(aws.stored("ops")).casefold()
