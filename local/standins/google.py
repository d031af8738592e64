"""A stand-in for Google's accounts.

It gives access tokens for a service account and for a user's grant, and checks signatures. Its authorise page does not
ask who the user is, and has a link for each possible answer of the user. The stand-ins of Google's APIs call this
stand-in to check access tokens.
"""

import base64
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from typing import Any, Final, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from local.serving import Answer, Request, Service

EMAIL: Final = "stand-in@demo.iam.gserviceaccount.com"
CLIENT_ID: Final = "stand-in.apps.googleusercontent.com"
KEY_BITS: Final = 2_048
TOKEN_SECONDS: Final = 3_599
_GRANTS: Final = {
    "urn:ietf:params:oauth:grant-type:jwt-bearer": "assertion",
    "refresh_token": "refresh_token",
    "authorization_code": "code",
}
_KEPT: Final = 100
# The scopes that a user can grant: to read search data, and visits.
_GRANTED: Final = " ".join(f"https://www.googleapis.com/auth/{name}.readonly" for name in ("webmasters", "analytics"))


@cache
def _key() -> rsa.RSAPrivateKey:
    """Return the private key of every stand-in of this process.

    It is shared, because making one takes up to a fifth of a second.
    """
    return rsa.generate_private_key(public_exponent=65_537, key_size=KEY_BITS)


class GoogleAccounts(Service):
    """A stand-in for Google's accounts, as an HTTP server on a free port. It runs from its creation until ``stop``.

    - ``asked``: the grant types of the last requests, oldest first.
    - ``scopes``: the scopes that the user allows; None for all requested scopes.
    - ``codes``: how many codes were exchanged.
    - ``rotates``: whether each refresh token works only once. The answer to its use then has the next refresh token.
    - ``refuses``: whether every grant is refused.
    """

    name = "google-accounts"
    json_type = "application/json; charset=utf-8"
    methods = ("GET", "POST")

    def __init__(self) -> None:
        self.scopes: str | None = None
        self.codes = 0
        self._codes: dict[str, dict[str, str]] = {}  # code -> the parameters of the authorise page
        self.rotates = False
        self.refuses = False
        self.asked: deque[str] = deque(maxlen=_KEPT)
        self._key = _key()
        self._client_secret = secrets.token_urlsafe(24)
        self._refresh_token = f"1//{secrets.token_urlsafe(40)}"
        self._tokens: dict[str, str] = {}  # access token -> scopes
        self._lock = threading.Lock()
        super().__init__()
        self.auth_url = f"{self.url}/o/oauth2/v2/auth"
        self.url += "/token"

    def key_file(self) -> dict[str, str]:
        """Return the key file of the service account, as Google offers it for download."""
        pem = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return {
            "type": "service_account",
            "project_id": "demo",
            "private_key_id": "stand-in-key",
            "private_key": pem.decode(),
            "client_email": EMAIL,
            "client_id": "100000000000000000000",
            "token_uri": self.url,
        }

    def grant_file(self) -> dict[str, str]:
        """Return a user's grant to an application, in the form of the file that Google's tools write."""
        with self._lock:
            return {
                "type": "authorized_user",
                "client_id": CLIENT_ID,
                "client_secret": self._client_secret,
                "refresh_token": self._refresh_token,
            }

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that connect the service to this stand-in.

        Returns {} if ``given``, the user's own settings, already has one of these settings.
        """
        told = {
            "GOOGLE_TOKEN_URL": self.url,
            "GOOGLE_AUTH_URL": self.auth_url,
            "GOOGLE_CLIENT_ID": CLIENT_ID,
            "GOOGLE_CLIENT_SECRET": self._client_secret,
        }
        return {} if any(given.get(name) for name in told) else told

    def allows(self, authorization: str | None, scope: str) -> bool:
        """Whether an ``Authorization`` header has a valid access token for the scope."""
        token = (authorization or "").removeprefix("Bearer ")
        with self._lock:
            return scope in self._tokens.get(token, "").split()

    def forget_tokens(self) -> None:
        """Make all access tokens invalid."""
        with self._lock:
            self._tokens.clear()

    def respond(self, request: Request) -> Answer:
        if request.method == "GET":
            return self._asks(request.path)
        form = {name: values[0] for name, values in parse_qs(request.body.decode("utf-8", "replace")).items()}
        return self.json_answer(*self.answer(form))

    def answer(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Answer a request for a token. Returns status and body."""
        grant = form.get("grant_type", "")
        self.asked.append(grant)
        if grant not in _GRANTS:
            return 400, {"error": "unsupported_grant_type", "error_description": f"Invalid grant_type: {grant}"}
        if self.refuses:
            return 400, {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
        if grant == "authorization_code":
            return self._exchanged(form)
        if grant == "refresh_token":
            return self._refreshed(form)
        claims = self._claims(form.get("assertion", ""))
        if isinstance(claims, str):
            return 400, {"error": "invalid_grant", "error_description": claims}
        return 200, self._given(claims["scope"])

    def _asks(self, path: str) -> Answer:
        """Answer with the authorise page: the requested scopes and a link for each answer, or what is wrong with the
        request."""
        parts = urlsplit(path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        wanted = {
            "client_id": CLIENT_ID,
            "response_type": "code",
            "access_type": "offline",
            "prompt": "consent",
            "code_challenge_method": "S256",
        }
        right = all(asked.get(name) == value for name, value in wanted.items()) and asked.get("state")
        html = {"Content-Type": "text/html; charset=utf-8"}
        if f"http://127.0.0.1:{self._server.server_port}{parts.path}" != self.auth_url or not right:
            return Answer(400, b"<h1>Access blocked: this app's request is invalid</h1>", html)
        if not asked.get("code_challenge") or not set(asked.get("scope", "").split()) <= set(_GRANTED.split()):
            return Answer(400, b"<h1>Access blocked: this app's request is invalid</h1>", html)
        code = f"4/0A{secrets.token_urlsafe(48)}"
        with self._lock:
            self._codes[code] = asked
        scope = asked["scope"] if self.scopes is None else self.scopes
        back = asked["redirect_uri"]
        allow = f"{back}?{urlencode({'state': asked['state'], 'code': code, 'scope': scope})}"
        deny = f"{back}?{urlencode({'error': 'access_denied', 'state': asked['state']})}"
        page = (
            f"<!doctype html><title>Stand-in for Google</title><h1>{escape(asked['scope'])}</h1>"
            f'<p><a id="allow" href="{escape(allow)}">Allow</a> <a id="deny" href="{escape(deny)}">Cancel</a></p>'
        )
        return Answer(200, page.encode(), html)

    def _exchanged(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Exchange a code for tokens. A code works once, for the same redirect address, and only with its verifier."""
        with self._lock:
            if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, self._client_secret):
                return 401, {"error": "invalid_client", "error_description": "Unauthorized"}
            asked = self._codes.pop(form.get("code", ""), None)
            if asked is None:
                return 400, {"error": "invalid_grant", "error_description": "Malformed auth code."}
            if form.get("redirect_uri") != asked["redirect_uri"]:
                return 400, {"error": "redirect_uri_mismatch", "error_description": "Bad Request"}
            hashed = sha256(form.get("code_verifier", "").encode()).digest()
            if base64.urlsafe_b64encode(hashed).rstrip(b"=").decode() != asked["code_challenge"]:
                return 400, {"error": "invalid_grant", "error_description": "Invalid code verifier."}
            self.codes += 1
        scope = asked["scope"] if self.scopes is None else self.scopes
        return 200, self._given(scope) | {"refresh_token": self._refresh_token}

    def _refreshed(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        with self._lock:
            if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, self._client_secret):
                return 401, {"error": "invalid_client", "error_description": "The OAuth client was not found."}
            if form.get("refresh_token") != self._refresh_token:
                return 400, {"error": "invalid_grant", "error_description": "Bad Request"}
            more = {}
            if self.rotates:
                self._refresh_token = more["refresh_token"] = f"1//{secrets.token_urlsafe(40)}"
        return 200, self._given(_GRANTED) | more

    def _given(self, scope: str) -> dict[str, Any]:
        token = f"ya29.{secrets.token_urlsafe(60)}"
        with self._lock:
            self._tokens[token] = scope
        return {"access_token": token, "expires_in": TOKEN_SECONDS, "scope": scope, "token_type": "Bearer"}

    def _claims(self, assertion: str) -> dict[str, Any] | Literal["Invalid JWT Signature.", "Invalid JWT"]:
        """Return the claims signed by a service account, or the message of the error."""
        try:
            signed, _, signature = assertion.rpartition(".")
            header, claims = (json.loads(_decoded(part)) for part in signed.split("."))
            self._key.public_key().verify(_decoded(signature), signed.encode(), PKCS1v15(), SHA256())
        except InvalidSignature:
            return "Invalid JWT Signature."
        except (ValueError, KeyError):
            return "Invalid JWT"
        now = time.time()
        wanted = header.get("alg") == "RS256" and claims.get("iss") == EMAIL and claims.get("aud") == self.url
        in_time = claims.get("iat", 0) - 300 <= now < claims.get("exp", 0) <= claims.get("iat", 0) + 3_600
        return claims if wanted and in_time and claims.get("scope") else "Invalid JWT"


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
