"""Signing in: by mail, by the operator, once, and for no longer than a person is there."""

import logging
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import clock
from chalicelib.connectors import mail
from chalicelib.connectors.errors import Unavailable
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.mails import Mail
from chalicelib.operations import accounts, addresses, sessions, websites
from chalicelib.operations.errors import Refused
from chalicelib.operations.sessions import Membership
from chalicelib.settings.reading import forget_settings
from local import embedded
from tests import aws
from tests.operations.conftest import Team

APP = "https://seo.example.com/app"
OWNER = "owner@example.org"
IP = "203.0.113.7"


@pytest.fixture(autouse=True)
def mails(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", "service@demo.example")
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()
    embedded.MAILBOX.verify("service@demo.example")


@pytest.fixture(autouse=True)
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited for, none of which pass."""
    seconds: list[float] = []
    monkeypatch.setattr(clock, "sleep", seconds.append)
    return seconds


def refusal(call: object, *args: object) -> Refused:
    with pytest.raises(Refused) as caught:
        call(*args)  # type: ignore[operator]
    assert caught.value.message.endswith(".")
    return caught.value


def sent_tokens() -> list[str]:
    pattern = rf"{re.escape(APP)}/sign-in\?token=([\w-]{{43}})\n"
    return [token for one in embedded.MAILBOX.sent() for token in re.findall(pattern, one.text)]


def link_of(team: Team, role: str = "owner") -> str:
    return sessions.make_link(team.workspace_id, team.people[role])


def signed_in(team: Team, role: str = "owner") -> sessions.Started:
    return sessions.use_link(link_of(team, role))


# -- links


def test_a_sign_in_link_can_be_opened_twice_but_used_once(team: Team) -> None:
    token = link_of(team)
    for _ in range(2):
        offer = sessions.open_link(token)
        assert offer is not None and offer.email == OWNER and offer.expires_at > clock.now()
    started = sessions.use_link(token)
    found = sessions.find(started.secret)
    assert found is not None and (found.email, started.email) == (OWNER, OWNER)
    assert sessions.open_link(token) is None
    assert refusal(sessions.use_link, token).code == "link_used"


def test_using_a_link_twice_at_the_same_time_creates_one_session(team: Team) -> None:
    for _ in range(5):
        token, ready = link_of(team), threading.Barrier(2)

        def press(token: str = token, ready: threading.Barrier = ready) -> str | None:
            ready.wait(60)
            try:
                return sessions.use_link(token).secret
            except Refused:
                return None

        with ThreadPoolExecutor(2) as pool:
            secrets = [one.result() for one in [pool.submit(press), pool.submit(press)]]
        assert sum(secret is not None for secret in secrets) == 1
    assert len(sessions.others(OWNER)) == 5


@pytest.mark.parametrize("token", ["", "x", "A" * 43, "A" * 42, "é" * 43, "A" * 43 + "\n", "../" * 15, "A" * 100_000])
def test_an_invalid_link_does_not_sign_in(token: str, team: Team) -> None:
    assert sessions.open_link(token) is None
    assert refusal(sessions.use_link, token).code == "link_used"
    assert sessions.find(token) is None
    sessions.end(token)


def test_a_link_signs_in_even_if_the_answer_of_dynamodb_is_lost(team: Team) -> None:
    token = link_of(team)
    with aws.lost_answers("TransactWriteItems"):
        started = sessions.use_link(token)
    assert sessions.find(started.secret) is not None
    assert len(sessions.others(OWNER)) == 1


def test_tokens_and_session_secrets_are_not_stored_in_clear(team: Team) -> None:
    waiting, started = link_of(team), signed_in(team)
    sessions.find(started.secret)
    stored = str([aws.stored(table) for table in ("accounts", "ops")])
    assert waiting not in stored and started.secret not in stored
    assert started.secret not in repr(started)


def test_the_operator_can_create_a_link_only_for_an_existing_person(team: Team) -> None:
    assert refusal(sessions.make_link, team.workspace_id, "usr_none").code == "not_found"
    assert refusal(sessions.make_link, "wsp_none", team.people["owner"]).code == "not_found"


# -- asked for by mail


def test_a_known_address_gets_a_working_link(team: Team) -> None:
    sessions.request_link(" OWNER@Example.org ", IP, "")
    (sent,) = embedded.MAILBOX.sent()
    assert (sent.to, sent.subject) == (OWNER, "Your sign-in link")
    (token,) = sent_tokens()
    assert f"{APP}/sign-in?token={token}" in sent.html
    assert sessions.use_link(token).email == OWNER


def test_an_unknown_address_gets_no_mail_and_its_answer_takes_as_long_as_others(
    team: Team, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sessions.ANSWER_SECONDS > 1
    monkeypatch.setattr(sessions, "ANSWER_SECONDS", 3_600.0)
    with aws.counted_calls() as known:
        sessions.request_link(OWNER, IP, "")
    before = aws.rows("accounts")
    with aws.counted_calls() as unknown:
        sessions.request_link("nobody@example.org", IP, "")
    assert len(sent_tokens()) == 1
    assert aws.rows("accounts") == before
    assert known == {"UpdateItem": 2, "Query": 1, "BatchGetItem": 1, "TransactWriteItems": 1, "SendEmail": 1}
    assert unknown == {"UpdateItem": 2, "Query": 1}
    assert len(waited) == 2 and all(0 < seconds < 3_600 for seconds in waited)


def test_a_removed_person_gets_no_mail(team: Team) -> None:
    accounts.remove_person(OPERATOR, team.workspace_id, team.people["owner"])
    sessions.request_link(OWNER, IP, "")
    assert embedded.MAILBOX.sent() == []


@pytest.mark.parametrize("email", [OWNER, "nobody@example.org"])
def test_an_address_gets_at_most_five_links_an_hour(team: Team, email: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: 1_800_000_000.0)
    for number in range(5):
        sessions.request_link(email, f"203.0.113.{number}", "")
    refused = refusal(sessions.request_link, email.upper(), "203.0.113.99", "")
    assert refused.code == "rate_limited"
    assert refused.retry_after is not None and 1 <= refused.retry_after <= 3_600
    assert len(sent_tokens()) == (5 if email == OWNER else 0)


def test_an_ip_address_can_request_at_most_thirty_links_an_hour(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: 1_800_000_000.0)
    for number in range(30):
        sessions.request_link(f"a{number}@example.org", f"2001:db8:1:2::{number:x}", "")
    assert refusal(sessions.request_link, OWNER, "2001:db8:1:2:ffff::1", "").code == "rate_limited"
    sessions.request_link(OWNER, "2001:db8:1:3::1", "")
    assert len(sent_tokens()) == 1


@pytest.mark.parametrize(
    "email",
    [
        "",
        "owner",
        "owner@example.org\nBcc: eve@example.org",
        "owner@example.org\r\nSubject: x",
        "owner@example.org, eve@example.org",
        "owner@example.org\0",
        "owner\u2028@example.org",
        "owner@exam\x85ple.org",
        "öwner@example.org",
        "a" * 250 + "@example.org",
        "<owner@example.org>",
    ],
)
def test_a_malformed_address_is_refused_and_not_counted(team: Team, email: str) -> None:
    assert refusal(sessions.request_link, email, IP, "").code == "bad_email"
    assert embedded.MAILBOX.sent() == [] and aws.rows("ops") == []


def test_a_failed_mail_is_logged_without_the_link_and_is_not_reported(
    team: Team, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tokens: list[str] = []

    def fail(sent: Mail) -> None:
        tokens.extend(re.findall(r"token=([\w-]{43})", sent.text))
        assert tokens and tokens[0] not in repr(sent)
        raise Unavailable("The mail server does not answer.")

    monkeypatch.setattr(mail, "send", fail)
    with caplog.at_level(logging.INFO):
        sessions.request_link(OWNER, IP, "")
    assert tokens and "does not answer" in caplog.text
    assert not any(token in caplog.text for token in tokens) and OWNER not in caplog.text


def test_without_a_sender_address_every_link_request_is_refused(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", "")
    forget_settings()
    for email in (OWNER, "nobody@example.org"):
        assert refusal(sessions.request_link, email, IP, "").code == "no_mail"


def test_a_sign_in_link_begins_with_the_stored_public_address(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_URL", "")
    forget_settings()
    sessions.request_link(OWNER, IP, "https://gateway.example/prod/app")
    addresses.set_public_address(OPERATOR, "https://seo.acme.example/live/")
    sessions.request_link(OWNER, IP, "https://gateway.example/prod/app")
    first, second = (one.text for one in embedded.MAILBOX.sent())
    assert "\nhttps://gateway.example/prod/app/sign-in?token=" in first
    assert "\nhttps://seo.acme.example/live/app/sign-in?token=" in second


# -- sessions


def test_a_signed_in_request_makes_three_database_calls(team: Team) -> None:
    started = signed_in(team)
    sessions.find(started.secret)
    with aws.counted_calls() as calls:
        found = sessions.find(started.secret)
        assert found is not None and len(sessions.workspaces(found.email)) == 1
    assert calls.total() <= 4  # four only when the hour turns in between
    assert set(calls) == {"UpdateItem", "Query", "BatchGetItem"}


def test_a_request_over_the_limit_is_refused_until_the_next_hour(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    started = signed_in(team)

    def limited(sha256: str, now: float) -> None:
        raise sessions.store.LimitReached(int(now) + 90)

    monkeypatch.setattr(sessions.store, "find", limited)
    refused = refusal(sessions.find, started.secret)
    assert (refused.code, refused.retry_after) in {("rate_limited", 90), ("rate_limited", 89)}


def test_ending_a_session_keeps_the_other_sessions(team: Team) -> None:
    first, second = signed_in(team), signed_in(team)
    sessions.end(first.secret)
    sessions.end(first.secret)
    assert sessions.find(first.secret) is None
    assert [one.key for one in sessions.others(OWNER)] == [sign_in.hashed(second.secret)]


def test_a_person_can_end_only_sessions_of_the_own_email_address(team: Team) -> None:
    signed_in(team)
    admin = signed_in(team, "admin")
    (key,) = (one.key for one in sessions.others(OWNER))
    assert refusal(sessions.end_other, admin.email, key).code == "not_found"
    sessions.end_other(OWNER, key)
    assert sessions.others(OWNER) == []
    assert refusal(sessions.end_other, OWNER, key).code == "not_found"
    assert sessions.find(admin.secret) is not None


def test_a_changed_role_or_a_removed_person_takes_effect_at_once(team: Team) -> None:
    site = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    other = websites.add(OPERATOR, team.workspace_id, "https://example.com")
    person = team.people["owner"]
    assert sessions.workspaces(OWNER) == [Membership(team.workspace_id, "Acme", person, "owner", None)]
    accounts.set_role(OPERATOR, team.workspace_id, person, "client_viewer", [site.id])
    assert sessions.workspaces(OWNER)[0].site_ids == {site.id}
    accounts.set_role(OPERATOR, team.workspace_id, person, "client_viewer")
    assert sessions.workspaces(OWNER)[0].site_ids == {site.id}
    accounts.set_role(OPERATOR, team.workspace_id, person, "client_viewer", [other.id])
    assert sessions.workspaces(OWNER)[0].site_ids == {other.id}
    accounts.set_role(OPERATOR, team.workspace_id, person, "member")
    assert (sessions.workspaces(OWNER)[0].role, sessions.workspaces(OWNER)[0].site_ids) == ("member", None)
    accounts.set_role(OPERATOR, team.workspace_id, person, "client_viewer")
    assert sessions.workspaces(OWNER)[0].site_ids == frozenset()
    accounts.remove_person(OPERATOR, team.workspace_id, person)
    assert sessions.workspaces(OWNER) == []


def test_an_address_in_two_workspaces_has_a_person_in_each(team: Team) -> None:
    second = accounts.create_workspace(OPERATOR, "Beta", "free")
    person = accounts.add_person(OPERATOR, second.id, "Owner@Example.ORG", "member")
    assert sessions.workspaces(OWNER) == [
        Membership(team.workspace_id, "Acme", team.people["owner"], "owner", None),
        Membership(second.id, "Beta", person.id, "member", None),
    ]
    accounts.remove_person(OPERATOR, second.id, person.id)
    assert [one.workspace_id for one in sessions.workspaces(OWNER)] == [team.workspace_id]
