"""Authenticates requests: checks the API key, its hourly limit, its scopes and the websites that it covers."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from chalicelib.domain.accounts import keys
from chalicelib.http.errors import ApiError, not_found
from chalicelib.store import api_keys, websites
from chalicelib.store.accounts import Workspace
from chalicelib.store.api_keys import Auth
from chalicelib.store.websites import Website

REALM: Final = {"WWW-Authenticate": "Bearer"}
HOUR_SECONDS: Final = 3_600
_ID = re.compile(r"[A-Za-z0-9_]{1,64}")


def authenticate(headers: Mapping[str, str], now: float) -> Auth:
    """Count this request for its API key, and return the key's rights. Takes one round trip to the database, or none if
    the key is malformed.

    Raises 401 ``unauthorized`` and 429 ``rate_limited``.
    """
    kind, _, secret = headers.get("authorization", "").strip().partition(" ")
    secret = secret.strip()
    if kind.lower() != "bearer" or not secret:
        raise ApiError("unauthorized", "Send your API key as `Authorization: Bearer <key>`.", headers=REALM)
    parts = keys.parse(secret)
    if parts is None:
        raise ApiError("unauthorized", "The API key is malformed: it may be mistyped or cut off.", headers=REALM)
    try:
        return api_keys.authenticate(parts.sha256, now)
    except api_keys.KeyUnknown:
        raise ApiError("unauthorized", "This API key is unknown or has been revoked.", headers=REALM) from None
    except api_keys.LimitReached as refused:
        limits = limit_headers(refused.auth, now)
        limits["Retry-After"] = str(_seconds_left(refused.auth, now))
        begins = datetime.fromtimestamp(refused.auth.reset_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        message = f"The key's {refused.auth.limit} requests of this hour are used up; the next hour begins at {begins}."
        raise ApiError("rate_limited", message, headers=limits) from None


def _seconds_left(auth: Auth, now: float) -> int:
    return max(1, -int((now - auth.reset_at) // 1))


def limit_headers(auth: Auth, now: float) -> dict[str, str]:
    """Return the headers about the hourly limit, for every answer to a request with a key."""
    return {
        "RateLimit-Policy": f'"hourly";q={auth.limit};w={HOUR_SECONDS}',
        "RateLimit": f'"hourly";r={auth.remaining};t={_seconds_left(auth, now)}',
        "X-RateLimit-Limit": str(auth.limit),
        "X-RateLimit-Remaining": str(auth.remaining),
        "X-RateLimit-Reset": str(int(auth.reset_at)),
    }


def check_owner(auth: Auth) -> None:
    """Raise 403 ``owner_lost_access`` if the key's owner left or may no longer use keys."""
    if auth.owner_state != "ok":
        raise ApiError("owner_lost_access", "The person who owns this key has left the workspace or may not use keys.")


def check_scope(auth: Auth, scope: str) -> None:
    """Raise 403 ``missing_scope`` if the key lacks the scope, or ``owner_lost_access`` if its owner lost access."""
    check_owner(auth)
    if scope not in auth.scopes:
        raise ApiError("missing_scope", f"This key does not have the scope {scope}.", scope=scope)


def is_id(value: str) -> bool:
    """Whether a path segment has the form of an id. Other segments are not looked up."""
    return _ID.fullmatch(value) is not None


def website_of(auth: Auth, site_id: str) -> Website:
    """Return the website that the path names. It must be in the key's workspace, and the key must cover it. Takes one
    round trip to the database.

    Raises 404 ``not_found`` (also for a website of another workspace) and 403 ``site_not_covered``.
    """
    return covered(auth, websites.get(auth.workspace_id, site_id) if is_id(site_id) else None)


def website_and_workspace_of(auth: Auth, site_id: str) -> tuple[Website, Workspace]:
    """Return the website of the path and its workspace, in one round trip. Raises the errors of ``website_of``."""
    if not is_id(site_id):
        raise not_found()
    website, workspace = websites.get_with_workspace(auth.workspace_id, site_id)
    return covered(auth, website), workspace


def covered(auth: Auth, website: Website | None) -> Website:
    """Return the website if the key covers it. ``website``: what was found in the key's workspace; None if nothing.
    Raises the errors of ``website_of``."""
    if website is None:
        raise not_found()
    if auth.site_ids is not None and website.id not in auth.site_ids:
        raise ApiError("site_not_covered", "This key does not cover the website.")
    return website
