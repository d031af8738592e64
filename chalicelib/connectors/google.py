"""Requests access tokens for Google accounts, and makes JSON requests with these tokens. The connectors of Google's
APIs define the requests.

An account is either a service account or a person's account. A service account signs its token requests with its own
key (RS256). A person grants access once (OAuth); then the service stores a refresh token.

Google may replace the refresh token. The new token is stored only if the old token is still stored. So if two workers
get new tokens at the same time, only the first worker's token is stored. If a worker's token is refused, the worker
loads the stored token.

A person grants access on Google's consent page (``consent_url``). Google then redirects to the app with a code, which
is exchanged once for a refresh token (``granted``). The exchange also needs the verifier, whose hash Google received
with the consent request (PKCE, RFC 7636).

Access tokens are kept in the memory of the process, for 50 minutes at most. They are requested at the address in a
setting. The address in the file of a service account is never used.
"""

import base64
import json
import threading
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Final, NamedTuple, Protocol, TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Meta

from chalicelib import clock, typed
from chalicelib.connectors.answers import decoded, in_one_line
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.domain.ids import digest
from chalicelib.net.calls import NoAnswer, Reply, call_operators_address
from chalicelib.settings.google import google_settings
from chalicelib.settings.network import network_settings

TOKEN_SECONDS: Final = 15.0  # time limit of one token request
KEPT_SECONDS: Final = 50 * 60.0  # how long an access token is used; Google's are valid for an hour
KEPT: Final = 1_000
SIGNED_SECONDS: Final = 3_600  # validity of a service account's signed request; Google's maximum
EARLY_SECONDS: Final = 600.0  # how long before its end a short-lived token is no longer used
MOST_BYTES: Final = 64 * 1024 * 1024  # limit on an uncompressed answer
LEAST_BITS: Final = 2_048  # length of a service account's key
LONGEST: Final = 3_500  # limit in characters on a member of an account
USER_AGENT: Final = "WebsiteOptimizationService/1"

_JWT_GRANT: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_OVER_QUOTA: Final = frozenset(
    "quotaExceeded rateLimitExceeded userRateLimitExceeded dailyLimitExceeded RATE_LIMIT_EXCEEDED".split()
)
_NOT_VALID: Final = "invalid_grant"
_SWITCHED_OFF: Final = frozenset("accessNotConfigured SERVICE_DISABLED".split())

Wire = TypeVar("Wire")


class BadAccount(ValueError):
    """Raised if the input is not an account. The text names the wrong member, never its value."""


class ServiceAccount(msgspec.Struct, frozen=True, kw_only=True, tag="service_account"):
    """A service account, which signs its own token requests. ``private_key``: PEM."""

    client_email: str
    private_key: str
    private_key_id: str = ""

    def __repr__(self) -> str:
        return f"ServiceAccount({self.client_email})"

    @property
    def name(self) -> str:
        """The account's printable name."""
        return self.client_email


class GrantedAccount(msgspec.Struct, frozen=True, kw_only=True, tag="authorized_user"):
    """A person's account that granted access to an application."""

    client_id: str
    client_secret: str
    refresh_token: str

    def __repr__(self) -> str:
        return f"GrantedAccount({self.client_id})"

    @property
    def name(self) -> str:
        """The printable name of the application that was granted access. The person's account is not shown."""
        return self.client_id


Account = ServiceAccount | GrantedAccount


def account(given: object) -> Account:
    """Parse an account in Google's own JSON: the downloaded key of a service account, or a person's grant (``type``
    ``authorized_user``). Every member is checked. Raises ``BadAccount``."""
    if not isinstance(given, Mapping) or given.get("type") not in ("service_account", "authorized_user"):
        raise BadAccount(
            "`type` must be service_account or authorized_user. Use the file that Google provides, unchanged."
        )
    if given["type"] == "authorized_user":
        return GrantedAccount(
            client_id=_text(given, "client_id"),
            client_secret=_text(given, "client_secret"),
            refresh_token=_text(given, "refresh_token"),
        )
    email = _text(given, "client_email")
    if email.count("@") != 1:
        raise BadAccount("`client_email` must be the e-mail address of the service account.")
    found = ServiceAccount(
        client_email=email,
        private_key=_text(given, "private_key", lines=True),
        private_key_id=_text(given, "private_key_id") if "private_key_id" in given else "",
    )
    _key(found)
    return found


def packed(of: Account) -> str:
    """Convert the account to a text, to be stored as a secret."""
    return msgspec.json.encode(of).decode()


def unpacked(text: str) -> Account:
    """Convert a text made by ``packed`` back to the account."""
    found: Account = typed.from_json(text, Account)
    return found


def _text(given: Mapping[str, Any], member: str, *, lines: bool = False) -> str:
    value = given.get(member)
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST:
        raise BadAccount(f"`{member}` must be a text of 1 to {LONGEST:,} characters.")
    if not (value.replace("\n", "") if lines else value).isprintable() or not value.isascii():
        raise BadAccount(f"`{member}` has characters that Google does not use.")
    return value


def _key(of: ServiceAccount) -> Any:
    """Return the key that the account signs with. Raises ``BadAccount``."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(of.private_key.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise BadAccount("`private_key` must be a private key in PEM format, without a password.") from None
    if not isinstance(key, RSAPrivateKey) or key.key_size < LEAST_BITS:
        raise BadAccount(f"`private_key` must be an RSA key of at least {LEAST_BITS:,} bits.")
    return key


class Keeper(Protocol):
    """Loads the stored account of a connection, and replaces it."""

    @property
    def id(self) -> str:
        """The id of the connection. It changes on reconnection, but not when the refresh token is replaced."""

    def account(self) -> Account:
        """Return the stored account. Raises ``OutsideError`` if it is no longer stored."""

    def rotated(self, before: GrantedAccount, after: GrantedAccount) -> None:
        """Store ``after`` if ``before`` is still stored. If another worker has replaced ``before``, do nothing."""


# -- access tokens -----------------------------------------------------------------------------------------


class _Kept(NamedTuple):
    until: float  # expiry by clock.monotonic
    token: str


_kept: dict[bytes, _Kept] = {}
_lock = threading.Lock()
_asking: dict[bytes, threading.Lock] = {}


def forget_tokens() -> None:
    """Forget all tokens. Tests and the local service call this when they start a new emulated AWS in the same
    process."""
    with _lock:
        _kept.clear()


_Token = Annotated[str, Meta(min_length=1, max_length=LONGEST, pattern=r"^[!-~]+$")]


class _Signed(msgspec.Struct):
    access_token: _Token
    expires_in: float = 3_600.0
    refresh_token: _Token | None = None
    scope: str | None = None

    def __repr__(self) -> str:
        return "_Signed(…)"


class _TokenError(msgspec.Struct):
    error: str = ""


def access_token(keeper: Keeper, scope: str, *, instead_of: str | None = None, seconds: float = TOKEN_SECONDS) -> str:
    """Return an access token for the scope. ``instead_of``: a token that Google has just refused, so that another is
    requested. ``seconds``: the time limit of one token request.

    Threads that need the same token share one request. Raises ``NoAccess``, ``Quota``, ``Unavailable``.
    """
    name = digest(keeper.id, scope, google_settings().token_url)
    with _lock:
        if len(_asking) >= KEPT:
            _asking.clear()
            _kept.clear()
        turn = _asking.setdefault(name, threading.Lock())
    with turn:
        with _lock:
            kept = _kept.get(name)
        if kept is not None and kept.token != instead_of and kept.until > clock.monotonic():
            return kept.token
        asked_at = clock.monotonic()
        given = _asked(keeper, scope, seconds)
        until = asked_at + min(KEPT_SECONDS, given.expires_in - EARLY_SECONDS)
        with _lock:
            _kept[name] = _Kept(until, given.access_token)
        return given.access_token


def _asked(keeper: Keeper, scope: str, seconds: float) -> _Signed:
    known = keeper.account()
    if isinstance(known, ServiceAccount):
        return _request({"grant_type": _JWT_GRANT, "assertion": _assertion(known, scope)}, known, seconds)
    try:
        return _refreshed(keeper, known, seconds)
    except NoAccess:
        newer = keeper.account()
        if newer == known or not isinstance(newer, GrantedAccount):
            raise
        return _refreshed(keeper, newer, seconds)


def _refreshed(keeper: Keeper, known: GrantedAccount, seconds: float) -> _Signed:
    given = _request(
        {
            "grant_type": "refresh_token",
            "client_id": known.client_id,
            "client_secret": known.client_secret,
            "refresh_token": known.refresh_token,
        },
        known,
        seconds,
    )
    if given.refresh_token and given.refresh_token != known.refresh_token:
        keeper.rotated(known, msgspec.structs.replace(known, refresh_token=given.refresh_token))
    return given


def _assertion(known: ServiceAccount, scope: str) -> str:
    """Return the text that a service account signs: its identity, the requested scope, and the time limit (RFC
    7523)."""
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    now = int(clock.machine())
    header = {"alg": "RS256", "typ": "JWT"} | ({"kid": known.private_key_id} if known.private_key_id else {})
    claims = {
        "iss": known.client_email,
        "scope": scope,
        "aud": google_settings().token_url,
        "iat": now,
        "exp": now + SIGNED_SECONDS,
    }
    signed = b".".join(_base64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    try:
        signature = _key(known).sign(signed, PKCS1v15(), SHA256())
    except BadAccount as error:
        raise NoAccess(f"The service account cannot sign: {error}") from None
    return (signed + b"." + _base64(signature)).decode("ascii")


def _base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


class _TokenRefused(Exception):
    """Raised if Google refused a token. ``reason``: Google's error code."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


def _request(form: Mapping[str, str], known: Account, seconds: float) -> _Signed:
    try:
        return _given(form, seconds)
    except _TokenRefused as refused:
        # Google's message may repeat what was sent, so it is not passed on.
        reason = in_one_line(refused.reason, _secrets(known))
        if isinstance(known, GrantedAccount) and refused.reason == _NOT_VALID:
            raise NoAccess(
                f"Google no longer accepts the access granted to {known.name} ({reason}): it was withdrawn or has "
                "expired. Connect the account again on the screen Connections."
            ) from None
        raise NoAccess(f"Google refused the account {known.name} ({reason}): connect it again.") from None


def _given(form: Mapping[str, str], seconds: float) -> _Signed:
    """Post the form to Google's token address, and return the answer. Raises ``_TokenRefused``, ``Quota``,
    ``Unavailable``."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "User-Agent": USER_AGENT}
    reply = _call("POST", google_settings().token_url, headers, urlencode(form).encode(), seconds, None)
    if reply.status == 200:
        try:
            return decoded(reply.body, _Signed)
        except ValueError:
            raise Unavailable("Google answered in an unexpected form.") from None
    try:
        said = decoded(reply.body, _TokenError).error
    except ValueError:
        said = ""
    if reply.status == 429:
        raise Quota("Google issues no more access tokens for now.", reply.retry_after)
    if reply.status in (400, 401, 403):
        raise _TokenRefused(said)
    raise Unavailable(f"Google answered {reply.status} to the request for an access token; try again later.")


def _secrets(known: Account) -> list[str]:
    if isinstance(known, ServiceAccount):
        return [known.private_key]
    return [known.client_secret, known.refresh_token]


# -- consent of a person ------------------------------------------------------------------------------------


def consent_url(client_id: str, scope: str, redirect_uri: str, state: str, verifier: str) -> str:
    """Make the URL of Google's page on which a person grants the scope. ``redirect_uri``: where Google redirects
    afterwards. ``verifier``: 43 characters or more; pass the same to ``granted``."""
    asked = {
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": scope,
        "access_type": "offline",
        "prompt": "consent",
        "state": state,
        "code_challenge": _base64(sha256(verifier.encode()).digest()).decode(),
        "code_challenge_method": "S256",
    }
    return f"{google_settings().auth_url.strip()}?{urlencode(asked)}"


def granted(
    client_id: str, client_secret: str, scope: str, redirect_uri: str, code: str, verifier: str
) -> GrantedAccount:
    """Send the code from the redirect to Google, and return the granted account. A code works once. The other
    parameters are the same as for ``consent_url``.

    Raises ``NoAccess``, ``Quota``, ``Unavailable``.
    """
    form = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "client_secret": client_secret,
        "redirect_uri": redirect_uri,
        "code": code,
        "code_verifier": verifier,
    }
    try:
        given = _given(form, TOKEN_SECONDS)
    except _TokenRefused as refused:
        match refused.reason:
            case "invalid_grant":
                words = "Google no longer accepts this sign-in: it was used or is too old. Connect with Google again."
            case "invalid_client" | "unauthorized_client":
                words = "Google refused the OAuth client: the operator must check its id and secret."
            case "redirect_uri_mismatch":
                words = f"The operator must add {redirect_uri} to the redirect addresses of the OAuth client."
            case other:
                secrets = [client_secret, code, verifier]
                words = f"Google gave no access ({in_one_line(other, secrets)}). Connect with Google again."
        raise NoAccess(words) from None
    if given.scope is not None and scope not in given.scope.split():
        raise NoAccess("The box for this access was not ticked at Google. Connect with Google again, and tick it.")
    if given.refresh_token is None:
        raise NoAccess("Google gave only temporary access. Connect with Google again.")
    return GrantedAccount(client_id=client_id, client_secret=client_secret, refresh_token=given.refresh_token)


# -- requests ----------------------------------------------------------------------------------------------


class _Fault(msgspec.Struct):
    message: str | None = None
    status: str | None = None
    errors: list[dict[str, Any]] | None = None
    details: list[dict[str, Any]] | None = None

    @property
    def reasons(self) -> frozenset[str]:
        """Return all short codes in an error answer that say why the request failed."""
        given = [*(self.errors or ()), *(self.details or ())]
        return frozenset(str(one["reason"]) for one in given if "reason" in one)


class _FaultAnswer(msgspec.Struct):
    error: _Fault


class GoogleApi:
    """The client of one of Google's APIs, for an account. ``name``: the API's printable name. ``base_url``: from the
    operator's settings."""

    def __init__(self, name: str, base_url: str, scope: str, keeper: Keeper) -> None:
        self._name = name
        self._base_url = base_url.strip().rstrip("/")
        self._scope = scope
        self._keeper = keeper

    def ask(self, path: str, wire: type[Wire], body: object = None, *, seconds: float) -> Wire:
        """Make one request below the base address, and return the answer. With a ``body``, the request is a POST. It is
        repeated once, with a new token, if Google does not accept the access token any more. ``seconds``: the time
        limit, including the request for an access token.

        Raises ``NoAccess`` (the account is refused or lacks rights), ``Quota``, ``Unavailable`` and ``Declined``.
        """
        deadline = clock.monotonic() + seconds
        token = self._token(deadline)
        reply = self._sent(path, body, token, deadline)
        if reply.status == 401:
            token = self._token(deadline, instead_of=token)
            reply = self._sent(path, body, token, deadline)
        if reply.status != 200:
            raise self._failure(reply, token)
        try:
            return decoded(reply.body, wire)
        except ValueError:
            raise Unavailable(f"{self._name} answered in an unexpected form.") from None

    def _token(self, deadline: float, *, instead_of: str | None = None) -> str:
        left = max(0.0, deadline - clock.monotonic())
        return access_token(self._keeper, self._scope, instead_of=instead_of, seconds=min(TOKEN_SECONDS, left))

    def _sent(self, path: str, body: object, token: str, deadline: float) -> Reply:
        headers = {"Authorization": f"Bearer {token}", "User-Agent": USER_AGENT}
        sent = b""
        if body is not None:
            headers["Content-Type"] = "application/json"
            sent = msgspec.json.encode(body)
        left = max(0.0, deadline - clock.monotonic())
        method = "GET" if body is None else "POST"
        return _call(method, f"{self._base_url}/{path}", headers, sent, left, MOST_BYTES)

    def _failure(self, reply: Reply, token: str) -> OutsideError:
        status = reply.status
        try:
            fault = decoded(reply.body, _FaultAnswer).error
        except ValueError:
            fault = _Fault()
        reasons = fault.reasons
        if status == 429 or fault.status == "RESOURCE_EXHAUSTED" or (status == 403 and reasons & _OVER_QUOTA):
            return Quota(f"{self._name} accepts no more requests for now: its quota is used up.", reply.retry_after)
        if status == 403 and reasons & _SWITCHED_OFF:
            return NoAccess(f"{self._name}'s API is not switched on in the account's Google Cloud project.")
        words = in_one_line(fault.message or "", [token])
        if status in (401, 403):
            return NoAccess(f"{self._name} refused access: {words}")
        if status == 408 or status >= 500 or status < 400:
            return Unavailable(f"{self._name} answered {status}; try again later.")
        return Declined(f"{self._name} refused the request ({status}): {words}")


def _call(
    method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float, most_bytes: int | None
) -> Reply:
    network = network_settings()
    try:
        return call_operators_address(
            method,
            url,
            headers,
            body,
            seconds=seconds,
            allow_addresses=network.allow_addresses,
            extra_hosts=network.extra_hosts,
            ca_file=network.extra_ca_file,
            service="Google",
            most_bytes=most_bytes,
        )
    except NoAnswer as reason:
        raise Unavailable(f"Google could not be reached: {reason}.") from None
