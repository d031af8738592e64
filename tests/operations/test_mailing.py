"""Mails that go out by themselves end where mail came back, until somebody tries the address again."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib import clock
from chalicelib.connectors import mail, ses
from chalicelib.connectors.errors import Declined, OutsideError, Quota, Unavailable
from chalicelib.domain.mails import Mail
from chalicelib.operations import mailing
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import bounces
from local import embedded
from tests.connectors.mail_server import MailServer

SENDER, ADA = "service@demo.example", "Ada@example.org"
MAIL = Mail(ADA, "News", "Text", "<p>Text</p>")


@pytest.fixture(autouse=True)
def sending(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    forget_settings()
    embedded.MAILBOX.verify(SENDER)
    yield
    monkeypatch.undo()
    forget_settings()


def failure() -> Declined:
    with pytest.raises(Declined) as caught:
        mailing.send(MAIL)
    assert "ada" not in caught.value.message.casefold()
    return caught.value


@pytest.mark.parametrize(("reason", "why"), [("BOUNCE", "bounce"), ("COMPLAINT", "complaint")])
def test_an_address_suppressed_by_ses_gets_no_mail_until_someone_tries_again(reason: str, why: str) -> None:
    mailing.send(MAIL)
    embedded.MAILBOX.suppress(ADA, reason)
    clock.set_offset(bounces.CHECKED_SECONDS + 1)
    ses._asked_at.clear()
    assert not failure().sent and not failure().sent
    assert len(embedded.MAILBOX.sent()) == 1
    (found,) = mailing.came_back([ADA, "grace@example.org"]).values()
    assert found.why == why and found.at == pytest.approx(clock.now(), abs=60)
    assert bounces.get(ADA.lower()) == found, "capital letters make no other address"
    for _ in range(2):
        mailing.try_again(ADA)
    assert mailing.came_back([ADA]) == {}
    mailing.send(MAIL)
    assert len(embedded.MAILBOX.sent()) == 2


def questions(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], str | None]) -> list[str]:
    """The addresses that SES is asked about from now on."""
    asked = list[str]()

    def ask(address: str) -> str | None:
        asked.append(address)
        return answer(address)

    monkeypatch.setattr(ses, "suppressed", ask)
    return asked


def test_ses_is_asked_once_a_day_whether_an_address_is_suppressed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = questions(monkeypatch, lambda _: None)
    grace = MAIL._replace(to="grace@example.org")
    for mail_to in (MAIL, MAIL._replace(to=ADA.upper()), grace):
        mailing.send(mail_to)
    assert asked == [ADA, grace.to]
    clock.set_offset(bounces.CHECKED_SECONDS - 60)
    mailing.send(MAIL)
    clock.set_offset(bounces.CHECKED_SECONDS + 1)
    mailing.send(MAIL)
    assert asked == [ADA, grace.to, ADA]
    assert len(embedded.MAILBOX.sent()) == 5


@pytest.mark.parametrize("error", [Quota, Unavailable])
def test_a_mail_is_sent_when_ses_cannot_say_whether_the_address_is_suppressed(
    monkeypatch: pytest.MonkeyPatch, error: type[OutsideError]
) -> None:
    def fails(_: str) -> None:
        raise error("Amazon SES does not tell.")

    asked = questions(monkeypatch, fails)
    mailing.send(MAIL)
    mailing.send(MAIL)
    assert asked == [ADA, ADA] and len(embedded.MAILBOX.sent()) == 2
    assert mailing.came_back([ADA]) == {}


def test_ses_is_not_asked_about_addresses_if_an_smtp_server_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    server = MailServer()
    try:
        monkeypatch.setenv("MAIL_URL", f"smtp://127.0.0.1:{server.port}")
        forget_settings()
        asked = questions(monkeypatch, lambda _: None)
        mailing.send(MAIL)
        assert asked == [] and len(server.taken) == 1 and bounces.look_up(ADA) == (None, False)
    finally:
        server.stop()


def test_an_address_unknown_to_the_mail_server_gets_no_more_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    server = MailServer(fault="unknown")
    try:
        monkeypatch.setenv("MAIL_URL", f"smtp://127.0.0.1:{server.port}")
        forget_settings()
        assert isinstance(failure(), mail.NoSuchAddress) and bounces.get(ADA) is not None
        server.fault = "none"
        assert not isinstance(failure(), mail.NoSuchAddress) and not server.taken
        mailing.try_again(ADA)
        mailing.send(MAIL)
        assert len(server.taken) == 1
    finally:
        server.stop()


@pytest.mark.parametrize("fault", ["full", "unwanted", "foreign", "spam", "unread", "sender", "closed"])
def test_other_mail_failures_do_not_suppress_the_address(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server = MailServer(fault=fault)
    try:
        monkeypatch.setenv("MAIL_URL", f"smtp://127.0.0.1:{server.port}")
        forget_settings()
        with pytest.raises(OutsideError):
            mailing.send(MAIL)
        assert bounces.get(ADA) is None
    finally:
        server.stop()


def test_an_address_stays_suppressed_when_ses_does_not_release_it(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded.MAILBOX.suppress(ADA, "BOUNCE")
    failure()

    def fails(address: str) -> None:
        raise Unavailable("Amazon SES did not answer in time.")

    monkeypatch.setattr(mail, "let_through", fails)
    with pytest.raises(Refused) as caught:
        mailing.try_again(ADA)
    assert caught.value.code == "busy" and bounces.get(ADA) is not None
