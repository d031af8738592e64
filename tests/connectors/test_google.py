"""Google accounts: which are taken, how tokens are asked for, kept and replaced, and what of them is never told."""

import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.google import Account, BadAccount, GoogleApi, GrantedAccount, ServiceAccount
from chalicelib.settings.reading import forget_settings
from local.standins.google import GoogleAccounts
from tests.servers.wire import WireServer

SCOPE = "https://www.googleapis.com/auth/webmasters.readonly"
JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    google.forget_tokens()
    yield
    monkeypatch.undo()
    forget_settings()
    google.forget_tokens()


@pytest.fixture(scope="module")
def shared() -> Iterator[GoogleAccounts]:
    standin = GoogleAccounts()
    yield standin
    standin.stop()


@pytest.fixture
def accounts(shared: GoogleAccounts, monkeypatch: pytest.MonkeyPatch) -> GoogleAccounts:
    shared.rotates = shared.refuses = False
    shared.asked.clear()
    monkeypatch.setenv("GOOGLE_TOKEN_URL", shared.url)
    forget_settings()
    return shared


class Kept:
    """A keeper in memory, as the store keeps it: what is not there any more is not replaced."""

    def __init__(self, account: Account, name: str = "conn_1") -> None:
        self.id = name
        self.now: Account | None = account
        self.rotations = 0

    def account(self) -> Account:
        if self.now is None:
            raise NotConnected("Nothing is connected any more.")
        return self.now

    def rotated(self, before: GrantedAccount, after: GrantedAccount) -> None:
        if self.now == before:
            self.now = after
            self.rotations += 1


def service(accounts: GoogleAccounts) -> Kept:
    return Kept(google.account(accounts.key_file()))


def granted(accounts: GoogleAccounts) -> Kept:
    return Kept(google.account(accounts.grant_file()))


def pem(key: Any, encryption: Any = None) -> str:
    return str(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption()).decode())


# -- accounts ----------------------------------------------------------------------------------------------


def test_key_files_downloaded_from_google_are_accepted_unchanged(accounts: GoogleAccounts) -> None:
    for given in (accounts.key_file(), accounts.grant_file()):
        found = google.account(given)
        assert google.unpacked(google.packed(found)) == found
        assert found.name in (given["client_id"], given.get("client_email"))


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("type", "external_account"),
        ("type", None),
        ("client_email", ""),
        ("client_email", "not an address"),
        ("client_email", "a@b\r\nX: 1"),
        ("client_email", 5),
        ("private_key", None),
        ("private_key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
        ("private_key", "x" * 100_000),
        ("private_key", pem(ec.generate_private_key(ec.SECP256R1()))),
        ("private_key", pem(rsa.generate_private_key(65_537, 1_024))),
        ("private_key", pem(ec.generate_private_key(ec.SECP256R1()), BestAvailableEncryption(b"word"))),
        ("private_key_id", ["a"]),
    ],
)
def test_an_invalid_member_of_a_key_file_is_named_without_its_value(
    member: str, value: object, accounts: GoogleAccounts
) -> None:
    with pytest.raises(BadAccount, match=f"`{member}`") as caught:
        google.account({**accounts.key_file(), member: value})
    assert accounts.key_file()["private_key"] not in str(caught.value)
    assert not isinstance(value, str) or len(value) < 20 or value not in str(caught.value)


@pytest.mark.parametrize("member", ["client_id", "client_secret", "refresh_token"])
@pytest.mark.parametrize("value", [None, "", 7, "a\nb", "ä", "x" * 5_000])
def test_an_invalid_member_of_a_grant_is_named_without_its_value(
    member: str, value: object, accounts: GoogleAccounts
) -> None:
    with pytest.raises(BadAccount, match=f"`{member}`"):
        google.account({**accounts.grant_file(), member: value})


@pytest.mark.parametrize("given", [None, [], "service_account", 5, {}])
def test_an_invalid_account_file_is_reported(given: object) -> None:
    with pytest.raises(BadAccount, match="`type`"):
        google.account(given)


# -- tokens ------------------------------------------------------------------------------------------------


def test_a_token_is_requested_with_a_signed_jwt_or_with_a_refresh_token(accounts: GoogleAccounts) -> None:
    for keeper, grant in ((service(accounts), JWT_GRANT), (granted(accounts), "refresh_token")):
        google.forget_tokens()
        token = google.access_token(keeper, SCOPE)
        assert accounts.allows(f"Bearer {token}", SCOPE)
        assert accounts.asked[-1] == grant


def test_an_access_token_is_used_for_fifty_minutes(accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, began = service(accounts), clock.monotonic()
    first = google.access_token(keeper, SCOPE)
    monkeypatch.setattr(clock, "monotonic", lambda: began + 49 * 60)
    assert google.access_token(keeper, SCOPE) == first
    monkeypatch.setattr(clock, "monotonic", lambda: began + 51 * 60)
    assert google.access_token(keeper, SCOPE) != first


def test_an_access_token_that_ends_early_is_requested_again(
    monkeypatch: pytest.MonkeyPatch, accounts: GoogleAccounts
) -> None:
    body = json.dumps({"access_token": "short", "expires_in": 300}).encode()
    with WireServer(lambda c: c.answer(body)) as server:
        monkeypatch.setenv("GOOGLE_TOKEN_URL", server.url())
        forget_settings()
        keeper = granted(accounts)
        assert [google.access_token(keeper, SCOPE) for _ in range(2)] == ["short", "short"]
        assert len(server.requests) == 2


def test_each_connection_and_scope_has_its_own_token(accounts: GoogleAccounts) -> None:
    key = google.account(accounts.key_file())
    names = [("conn_1", SCOPE), ("conn_2", SCOPE), ("conn_1", "https://www.googleapis.com/auth/analytics.readonly")]
    assert len({google.access_token(Kept(key, name), scope) for name, scope in names}) == 3


def test_threads_that_need_the_same_token_send_one_request_for_it(accounts: GoogleAccounts) -> None:
    keeper, found = service(accounts), []
    threads = [threading.Thread(target=lambda: found.append(google.access_token(keeper, SCOPE))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(found)) == 1 and len(accounts.asked) == 1


def test_a_refresh_token_that_replaces_another_is_stored_at_once(accounts: GoogleAccounts) -> None:
    accounts.rotates = True
    keeper = granted(accounts)
    google.access_token(keeper, SCOPE)
    assert keeper.now == google.account(accounts.grant_file()) and keeper.rotations == 1
    google.access_token(keeper, SCOPE)
    assert keeper.rotations == 1, "the token that was given with it is still used"


def test_a_worker_uses_the_refresh_token_that_another_worker_stored(accounts: GoogleAccounts) -> None:
    accounts.rotates = True
    keeper = granted(accounts)
    read_before = keeper.account()
    google.access_token(keeper, SCOPE)
    google.forget_tokens()  # the other worker is another process

    class Late(Kept):
        reads = 0

        def account(self) -> Account:
            self.reads += 1
            return read_before if self.reads == 1 else keeper.account()

        def rotated(self, before: GrantedAccount, after: GrantedAccount) -> None:
            keeper.rotated(before, after)

    token = google.access_token(Late(read_before), SCOPE)
    assert accounts.allows(f"Bearer {token}", SCOPE)
    assert keeper.now == google.account(accounts.grant_file())


@pytest.mark.parametrize("make", [service, granted])
def test_a_refused_account_is_reported_as_no_access_without_secrets(
    make: Any, accounts: GoogleAccounts, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    keeper = make(accounts)
    accounts.refuses = True
    with pytest.raises(NoAccess, match="invalid_grant") as caught:
        google.access_token(keeper, SCOPE)
    shown = f"{caught.value!r} {keeper.now!r} {caplog.text}"
    for secret in ("private_key", "client_secret", "refresh_token"):
        assert getattr(keeper.now, secret, "-----never") not in shown
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        ("200 OK", b"<html>", Unavailable),
        ("200 OK", b"{}", Unavailable),
        ("400 Bad Request", b"[]", NoAccess),
        ("401 Unauthorized", b'{"error": "invalid_client"}', NoAccess),
        ("403 Forbidden", b"", NoAccess),
        ("429 Too Many Requests", b"", Quota),
        ("500 Oops", b"\xff", Unavailable),
        ("302 Found", b"", Unavailable),
    ],
)
def test_each_token_answer_maps_to_its_error(
    status: str, body: bytes, error: type[OutsideError], accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer(lambda c: c.answer(body, status)) as server:
        monkeypatch.setenv("GOOGLE_TOKEN_URL", server.url())
        forget_settings()
        with pytest.raises(error) as caught:
            google.access_token(service(accounts), SCOPE)
        assert type(caught.value) is error


def test_by_default_tokens_are_requested_from_google(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_TOKEN_URL", raising=False)
    forget_settings()
    assert google.google_settings().token_url == "https://oauth2.googleapis.com/token"


# -- access that a person grants ----------------------------------------------------------------------------


def exchanged() -> Account:
    return google.granted("client", "the-client-secret", SCOPE, "https://app.example/back", "the-code", "the-verifier")


@pytest.mark.parametrize(
    ("status", "body", "error", "said"),
    [
        ("400 Bad Request", b'{"error": "invalid_grant"}', NoAccess, "used or is too old"),
        ("401 Unauthorized", b'{"error": "invalid_client"}', NoAccess, "the operator must check"),
        ("400 Bad Request", b'{"error": "redirect_uri_mismatch"}', NoAccess, "add https://app.example/back"),
        ("400 Bad Request", b'{"error": "the-code the-verifier the-client-secret"}', NoAccess, "gave no access"),
        ("429 Too Many Requests", b"", Quota, "no more access tokens"),
        ("500 Oops", b"", Unavailable, "500"),
        ("200 OK", b"[]", Unavailable, "unexpected form"),
        ("200 OK", b'{"access_token": "a", "refresh_token": "r", "scope": "openid"}', NoAccess, "not ticked"),
        ("200 OK", b'{"access_token": "a"}', NoAccess, "only temporary access"),
    ],
)
def test_a_failed_code_exchange_is_reported_without_secrets(
    status: str, body: bytes, error: type[OutsideError], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer(lambda c: c.answer(body, status)) as server:
        monkeypatch.setenv("GOOGLE_TOKEN_URL", server.url())
        forget_settings()
        with pytest.raises(error) as caught:
            exchanged()
    assert type(caught.value) is error and said in caught.value.message
    for secret in ("the-code", "the-verifier", "the-client-secret"):
        assert secret not in repr(caught.value)


def test_an_authorisation_code_is_exchanged_for_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"access_token": "a", "refresh_token": "1//r", "scope": f"openid {SCOPE}"}).encode()
    with WireServer(lambda c: c.answer(body)) as server:
        monkeypatch.setenv("GOOGLE_TOKEN_URL", server.url())
        forget_settings()
        found = exchanged()
    assert found == GrantedAccount(client_id="client", client_secret="the-client-secret", refresh_token="1//r")
    assert "1//r" not in repr(found)


# -- requests ----------------------------------------------------------------------------------------------


class Answered(msgspec.Struct):
    rows: list[int]


def api(url: str, keeper: google.Keeper) -> GoogleApi:
    return GoogleApi("Search Console", url, SCOPE, keeper)


def test_a_request_carries_the_token_and_accepts_gzip(accounts: GoogleAccounts) -> None:
    with WireServer(lambda c: c.answer(b'{"rows": [1, 2]}')) as server:
        found = api(server.url() + "/", service(accounts)).ask("sites/x", Answered, {"a": 1}, seconds=30)
        assert found.rows == [1, 2]
        (request,) = server.requests
        assert (request.method, request.path) == ("POST", "/sites/x")
        assert accounts.allows(request.header("Authorization"), SCOPE)
        assert request.header("Accept-Encoding") == "gzip"


def test_an_access_token_that_google_refuses_is_requested_again_once(accounts: GoogleAccounts) -> None:
    keeper = service(accounts)

    def checked(c: Any) -> None:
        allowed = accounts.allows(c.header("Authorization"), SCOPE)
        c.answer(b'{"rows": []}' if allowed else b"", "200 OK" if allowed else "401 Unauthorized")

    with WireServer(checked) as server:
        asked = api(server.url(), keeper)
        asked.ask("x", Answered, seconds=30)
        accounts.forget_tokens()
        asked.ask("x", Answered, seconds=30)
        assert len(server.requests) == 3 and len(accounts.asked) == 2
    with WireServer(lambda c: c.answer(b"", "401 Unauthorized")) as server:
        with pytest.raises(NoAccess):
            api(server.url(), keeper).ask("x", Answered, seconds=30)
        assert len(server.requests) == 2


def fault(code: int, reason: str = "", status: str = "", detail: str = "") -> bytes:
    error: dict[str, Any] = {"code": code, "message": "Words for people"}
    if reason:
        error["errors"] = [{"message": "Words for people", "domain": "global", "reason": reason}]
    if status:
        error["status"] = status
    if detail:
        error["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": detail}]
    return json.dumps({"error": error}).encode()


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        ("403 Forbidden", fault(403, "forbidden"), NoAccess),
        ("403 Forbidden", fault(403, "insufficientPermissions", "PERMISSION_DENIED"), NoAccess),
        ("403 Forbidden", fault(403, "accessNotConfigured"), NoAccess),
        ("403 Forbidden", fault(403, detail="SERVICE_DISABLED"), NoAccess),
        ("403 Forbidden", b"<html>", NoAccess),
        ("403 Forbidden", fault(403, "quotaExceeded"), Quota),
        ("403 Forbidden", fault(403, "userRateLimitExceeded"), Quota),
        ("403 Forbidden", fault(403, detail="RATE_LIMIT_EXCEEDED"), Quota),
        ("429 Too Many Requests", fault(429, "rateLimitExceeded", "RESOURCE_EXHAUSTED"), Quota),
        ("429 Too Many Requests", b"", Quota),
        ("400 Bad Request", fault(400, "badRequest"), Declined),
        ("404 Not Found", fault(404, "notFound"), Declined),
        ("408 Request Timeout", b"", Unavailable),
        ("500 Internal Server Error", fault(500, "backendError"), Unavailable),
        ("503 Service Unavailable", b"\xff\xfe", Unavailable),
        ("302 Found", b"", Unavailable),
        ("200 OK", b"[]", Unavailable),
        ("200 OK", b'{"rows": [1', Unavailable),
        ("200 OK", b"[" * 100_000, Unavailable),
    ],
)
def test_the_error_depends_on_the_status_and_the_reason_in_the_answer(
    status: str, body: bytes, error: type[OutsideError], accounts: GoogleAccounts
) -> None:
    with WireServer(lambda c: c.answer(body, status)) as server:
        with pytest.raises(error) as caught:
            api(server.url(), service(accounts)).ask("x", Answered, seconds=30)
        assert type(caught.value) is error
        assert caught.value.message.startswith("Search Console") and len(server.requests) == 1


def test_an_error_message_shows_no_token_and_includes_the_retry_time(accounts: GoogleAccounts) -> None:
    def repeating(c: Any) -> None:
        body = json.dumps({"error": {"message": f"bad\n{c.header('Authorization')} " + "x" * 500}}).encode()
        c.answer(body, "400 Bad Request")

    with WireServer(repeating) as server, pytest.raises(Declined) as caught:
        api(server.url(), service(accounts)).ask("x", Answered, seconds=30)
    assert "ya29" not in caught.value.message and len(caught.value.message) < 300
    with WireServer(lambda c: c.answer(b"", "429 No", retry_after="90")) as server, pytest.raises(Quota) as quota:
        api(server.url(), service(accounts)).ask("x", Answered, seconds=30)
    assert quota.value.retry_after == 90


def test_a_request_is_aborted_at_its_time_limit(accounts: GoogleAccounts) -> None:
    with WireServer(lambda c: c.hang()) as server:
        with pytest.raises(Unavailable, match="could not be reached"):
            api(server.url(), service(accounts)).ask("x", Answered, seconds=0.5)
        assert server.waited_out == 0


def test_requesting_the_access_token_counts_against_the_time_limit(
    accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer(lambda c: c.hang()) as server:
        monkeypatch.setenv("GOOGLE_TOKEN_URL", server.url())
        forget_settings()
        with pytest.raises(Unavailable, match=r"within 0\.[45]"):
            api("http://127.0.0.1:1", service(accounts)).ask("x", Answered, seconds=0.5)
        assert server.waited_out == 0


def test_a_removed_connection_sends_no_request(accounts: GoogleAccounts) -> None:
    keeper = service(accounts)
    keeper.now = None
    with pytest.raises(NotConnected):
        api("http://127.0.0.1:1", keeper).ask("x", Answered, seconds=5)


def test_printing_accounts_shows_no_secrets(accounts: GoogleAccounts) -> None:
    for given in (accounts.key_file(), accounts.grant_file()):
        found = google.account(given)
        assert isinstance(found, ServiceAccount | GrantedAccount)
        for secret in ("private_key", "client_secret", "refresh_token"):
            assert given.get(secret, "never") not in f"{found!r}{found}"
