"""Mail by Amazon SES and by a mail server: what is sent, over what, and every way in which it is not."""

import email
import logging
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import cast
from urllib.parse import quote

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from chalicelib.connectors import mail, ses
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.domain.mails import Mail, sign_in_mail
from chalicelib.net import smtp
from chalicelib.settings.mail import mail_settings
from chalicelib.settings.reading import forget_settings
from local import embedded
from tests.connectors.mail_server import PASSWORD, USER, MailServer

SENDER = "service@demo.example"
ADA = "ada@example.org"
LINK = "https://seo.example.com/app/sign-in?token=" + "x" * 43
MAIL = sign_in_mail(ADA, LINK, 15)

Settings = Callable[..., None]
Start = Callable[..., MailServer]


@pytest.fixture
def settings() -> Iterator[Settings]:
    with pytest.MonkeyPatch.context() as patch:

        def give(**values: str) -> None:
            for name, value in {"MAIL_FROM": SENDER, "MAIL_URL": "", **values}.items():
                patch.setenv(name, value)
            forget_settings()

        give()
        yield give
    forget_settings()


@pytest.fixture
def start(settings: Settings, tmp_path: Path) -> Iterator[Start]:
    """Starts a mail server, and gives the service its address and authority."""
    started: list[MailServer] = []

    def start_one(
        tls: str | None = None,
        *,
        login: bool = False,
        fault: str = "none",
        password: str | None = None,
        host: str = "127.0.0.1",
        trusted: bool = True,
    ) -> MailServer:
        server = MailServer(tls, login, fault)
        started.append(server)
        authority = tmp_path / "ca.pem"
        authority.write_bytes(server.authority.cert_pem.bytes())
        scheme = "smtps" if tls == "at_once" else "smtp"
        who = "" if password is None else f"{quote(USER, safe='')}:{quote(password, safe='')}@"
        settings(MAIL_URL=f"{scheme}://{who}{host}:{server.port}", EXTRA_CA_FILE=str(authority) if trusted else "")
        return server

    yield start_one
    for server in started:
        server.stop()


def failure(of: Mail = MAIL) -> OutsideError:
    with pytest.raises(OutsideError) as caught:
        mail.send(of)
    message = caught.value.message
    assert message.endswith(".") and "\n" not in message
    assert PASSWORD not in message and quote(PASSWORD, safe="") not in message and "x" * 43 not in message
    return caught.value


def test_extra_headers_and_a_fixed_message_id_are_sent_without_line_breaks() -> None:
    stop = "https://seo.example.com/app/notices/off?token=" + "x" * 120
    given = MAIL._replace(headers=(("List-Unsubscribe", f"<{stop}>"),), message_id="abc")
    for _ in range(2):
        found = email.message_from_bytes(mail.written(SENDER, given), policy=default)
        assert "".join(str(found["List-Unsubscribe"]).split()) == f"<{stop}>"
        assert found["Message-ID"] == "<abc@demo.example>"
    with pytest.raises(ValueError, match="linefeed"):
        mail.written(SENDER, MAIL._replace(headers=(("List-Unsubscribe", "<x>\r\nBcc: y@evil.example"),)))


# -- Amazon SES


def test_ses_sends_text_and_html_to_one_address(store: None, settings: Settings) -> None:
    embedded.MAILBOX.verify(SENDER)
    mail.send(MAIL)
    (sent,) = embedded.MAILBOX.sent()
    assert (sent.to, sent.subject, sent.text, sent.html) == (ADA, MAIL.subject, MAIL.text, MAIL.html)


def test_ses_requests_go_to_the_endpoint_that_aws_endpoint_url_names(
    store: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = embedded.Endpoint()
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint.url)
    ses.reset()
    try:
        assert "not verified" in failure().message
        embedded.MAILBOX.verify(SENDER)
        mail.send(MAIL)
    finally:
        endpoint.stop()
        ses.reset()
    assert [sent.to for sent in embedded.MAILBOX.sent()] == [ADA]


def test_ses_refuses_a_sender_that_it_has_not_verified(store: None, settings: Settings) -> None:
    refused = failure()
    assert isinstance(refused, NotConnected) and "MAIL_FROM" in refused.message
    assert embedded.MAILBOX.sent() == []


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("AccessDeniedException", NoAccess),
        ("TooManyRequestsException", Quota),
        ("SendingPausedException", Quota),
        ("BadRequestException", Declined),
        ("MessageRejected", Declined),
        ("MailFromDomainNotVerifiedException", NotConnected),
        ("InternalFailure", Unavailable),
    ],
)
def test_each_ses_error_maps_to_an_error_of_the_service(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, code: str, kind: type[OutsideError]
) -> None:
    class Refusing:
        def send_email(self, **_: object) -> None:
            raise ClientError({"Error": {"Code": code, "Message": LINK}}, "SendEmail")

    monkeypatch.setattr(ses, "_client", Refusing)
    assert type(failure()) is kind


@pytest.mark.parametrize(("named", "kind"), [(SENDER, NotConnected), (SENDER.upper(), NotConnected), (ADA, Declined)])
def test_an_unverified_recipient_is_distinguished_from_an_unverified_sender(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, named: str, kind: type[OutsideError]
) -> None:
    said = f"Email address is not verified. The following identities failed the check in region EU-WEST-1: {named}"

    class Refusing:
        def send_email(self, **_: object) -> None:
            raise ClientError({"Error": {"Code": "MessageRejected", "Message": said}}, "SendEmail")

    monkeypatch.setattr(ses, "_client", Refusing)
    assert type(failure()) is kind


def test_an_unreachable_ses_is_an_unavailable_error(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        def send_email(self, **_: object) -> None:
            raise EndpointConnectionError(endpoint_url=LINK)

    monkeypatch.setattr(ses, "_client", Away)
    assert isinstance(failure(), Unavailable)


@pytest.mark.parametrize(("reason", "why"), [("BOUNCE", "bounce"), ("COMPLAINT", "complaint")])
def test_an_address_suppressed_by_ses_is_reported_until_it_is_removed(
    store: None, settings: Settings, monkeypatch: pytest.MonkeyPatch, reason: str, why: str
) -> None:
    monkeypatch.setattr(ses, "_ASK_SECONDS", 0.0)
    assert mail.stopped(ADA) is None
    embedded.MAILBOX.suppress(ADA, reason)
    assert mail.stopped(ADA) == why and mail.stopped("grace@example.org") is None
    for _ in range(2):
        mail.let_through(ADA)
    assert mail.stopped(ADA) is None


def test_ses_is_asked_once_a_second_at_most_about_suppressed_addresses(
    store: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [100.0]
    ses._asked_at.clear()
    monkeypatch.setattr(ses.clock, "monotonic", lambda: seconds[0])
    embedded.MAILBOX.suppress(ADA, "BOUNCE")
    assert mail.stopped("grace@example.org") is None
    for after in (0.0, 0.5, 0.4):
        seconds[0] += after
        with pytest.raises(Quota):
            mail.stopped(ADA)
    seconds[0] += 0.2
    assert mail.stopped(ADA) == "bounce"


@pytest.mark.parametrize(
    ("code", "kind", "logged"),
    [
        ("AccessDeniedException", NoAccess, 1),
        ("TooManyRequestsException", Quota, 0),
        ("ThrottlingException", Quota, 0),
        ("InternalFailure", Unavailable, 1),
    ],
)
def test_each_error_of_the_ses_suppression_list_is_distinguished(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    code: str,
    kind: type[OutsideError],
    logged: int,
) -> None:
    class Failing:
        def get_suppressed_destination(self, **_: object) -> None:
            raise ClientError({"Error": {"Code": code}}, "GetSuppressedDestination")

        def delete_suppressed_destination(self, **_: object) -> None:
            raise EndpointConnectionError(endpoint_url=LINK)

    ses._asked_at.clear()
    monkeypatch.setattr(ses, "_client", Failing)
    with pytest.raises(OutsideError) as caught:
        mail.stopped(ADA)
    assert type(caught.value) is kind and len(caplog.records) == logged
    with pytest.raises(Unavailable):
        mail.let_through(ADA)


def test_ses_is_not_used_if_a_mail_server_is_configured(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(MAIL_URL="smtp://127.0.0.1:1")
    monkeypatch.setattr(ses, "_client", None)  # a call of it would raise
    assert mail.stopped(ADA) is None
    mail.let_through(ADA)


# -- a mail server


@pytest.mark.parametrize(("tls", "encrypted"), [(None, False), ("starttls", True), ("at_once", True)])
def test_mail_is_sent_over_tls_if_the_server_supports_it(start: Start, tls: str | None, encrypted: bool) -> None:
    server = start(tls)
    mail.send(MAIL)
    (taken,) = server.taken
    assert (taken.sender, taken.recipients, taken.encrypted) == (SENDER, [ADA], encrypted)
    read = cast(EmailMessage, email.message_from_string(taken.data, policy=default))
    assert (read["From"], read["To"], read["Subject"]) == (SENDER, ADA, MAIL.subject)
    assert read["Date"].datetime.tzinfo is not None and read["Message-ID"].endswith("@demo.example>")
    text, html = (part.get_content().replace("\r\n", "\n") for part in read.iter_parts())
    assert (text, html) == (MAIL.text, MAIL.html)


def test_user_and_password_are_sent_over_tls(start: Start) -> None:
    server = start("starttls", login=True, password=PASSWORD)
    mail.send(MAIL)
    assert len(server.taken) == 1 and server.passwords == []


def test_without_tls_a_password_is_sent_only_to_this_machine(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    server = start(login=True, password=PASSWORD)
    monkeypatch.setattr(smtp, "_is_this_machine", lambda host: False)
    assert isinstance(failure(), NoAccess)
    assert server.taken == [] and server.passwords == []
    monkeypatch.undo()
    mail.send(MAIL)
    assert len(server.taken) == 1


def test_a_wrong_mail_password_is_a_no_access_error(start: Start) -> None:
    start("starttls", login=True, password="wrong")
    assert isinstance(failure(), NoAccess)


@pytest.mark.parametrize("tls", ["starttls", "at_once"])
def test_a_server_with_an_untrusted_certificate_gets_no_mail(start: Start, tls: str) -> None:
    server = start(tls, trusted=False)
    refused = failure()
    assert isinstance(refused, Unavailable) and "certificate" in refused.message
    assert server.taken == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("closed", Unavailable),
        ("unwelcome", Unavailable),
        ("garbage", Unavailable),
        ("endless", Unavailable),
        ("full", Unavailable),
        ("sender", NoAccess),
        ("unknown", mail.NoSuchAddress),
        ("detailed", mail.NoSuchAddress),
        ("unwanted", Declined),
        ("foreign", Declined),
        ("spam", Declined),
        ("unread", Declined),
        ("away", Unavailable),
    ],
)
def test_each_mail_server_failure_maps_to_an_error_of_the_service(
    start: Start, fault: str, kind: type[OutsideError]
) -> None:
    server = start(fault=fault)
    assert type(failure()) is kind
    assert server.taken == []


@pytest.mark.parametrize("fault", ["silent", "drip", "drop"])
@pytest.mark.parametrize("tls", [None, "at_once"])
def test_a_mail_server_that_does_not_finish_is_given_up(
    start: Start, fault: str, tls: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "_SECONDS", 0.3)
    start(tls, fault=fault)
    assert isinstance(failure(), Unavailable)


def test_an_unreachable_mail_server_is_an_unavailable_error(start: Start) -> None:
    start().stop()
    assert isinstance(failure(), Unavailable)


@pytest.mark.parametrize(
    "url", ["mail.example.com", "http://mail.example.com", "smtp://", "smtp://a:b@h:x", "smtp://h/path", "smtp://h?x=1"]
)
def test_mail_is_not_connected_if_the_mail_server_address_is_invalid(settings: Settings, url: str) -> None:
    settings(MAIL_URL=url)
    refused = failure()
    assert isinstance(refused, NotConnected) and "MAIL_URL" in refused.message


def test_the_default_port_depends_on_the_scheme_of_the_address() -> None:
    assert smtp.server("smtp://mail.example.com").port == 587
    assert smtp.server("smtps://mail.example.com").port == 465
    server = smtp.server("smtp://us%40er:p%3Aw@mail.example.com:2525")
    assert (server.user, server.password, server.port) == ("us@er", "p:w", 2525)


def test_the_mail_server_password_is_never_shown(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    url = f"smtp://user:{quote(PASSWORD, safe='')}@127.0.0.1:1"
    settings(MAIL_URL=url)
    with caplog.at_level(logging.DEBUG):
        failure()
    shown = repr(mail_settings()) + repr(smtp.server(url)) + caplog.text
    assert PASSWORD not in shown and quote(PASSWORD, safe="") not in shown


# -- addresses


@pytest.mark.parametrize(
    "to",
    [
        "ada@example.org\nBcc: eve@example.org",
        "ada@example.org\r\n.\r\nMAIL FROM:<x@y.z>",
        "ada@example.org,eve@example.org",
        "ada@example.org> SIZE=1",
        "ada\0@example.org",
        "ädä@example.org",
        "ada@exa\x9bmple.org",
        "ada@-example.org",
        "ada@" + "a" * 64 + ".org",
        "",
    ],
)
def test_a_malicious_address_is_refused_before_connecting(start: Start, to: str) -> None:
    server = start()
    refused = failure(MAIL._replace(to=to))
    assert isinstance(refused, Declined) and not refused.sent
    assert server.taken == []


def test_an_international_domain_is_sent_in_ascii(start: Start) -> None:
    server = start()
    mail.send(MAIL._replace(to="ada@bücher.example"))
    assert server.taken[0].recipients == ["ada@xn--bcher-kva.example"]


@pytest.mark.parametrize("sender", ["nobody", "a@b.example\nBcc: c@d.example", "Service <a@b.example>"])
def test_an_invalid_sender_address_is_refused(settings: Settings, sender: str) -> None:
    settings(MAIL_FROM=sender)
    assert isinstance(failure(), NotConnected)


def test_mail_is_not_sent_without_a_sender_address(settings: Settings) -> None:
    assert mail.is_set_up()
    settings(MAIL_FROM="")
    assert not mail.is_set_up()
    assert isinstance(failure(), NotConnected)


def test_a_subject_with_a_line_break_is_refused() -> None:
    with pytest.raises(ValueError, match=r"linefeed|newline|header"):
        mail.written(SENDER, MAIL._replace(subject="a\nBcc: eve@example.org"))
