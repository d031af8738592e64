"""Reads and writes the redirects of a shop.

If nothing is published at a requested path, Shopify looks for a redirect of that path, ignoring letter case. A path has
at most one redirect. The API can only search for words in paths, so this module compares the paths of the results with
the requested one.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import urljoin

from msgspec import Meta

from chalicelib.domain.connector.messages import MOST_KEY, Change
from chalicelib.domain.connector.shop import Answer, PageInfo
from chalicelib.domain.connector.shop_keyed import INSTALLATION, Errors, Id, Manner, Noted, Text
from chalicelib.domain.connector.shop_notes import undo_of
from chalicelib.domain.crawl.shop_addresses import FIXED, fixed
from chalicelib.domain.crawl.urls import normalise, origin, path_and_query
from chalicelib.domain.ids import digest

NOT_A_REDIRECT: Final = "A redirect must lead from a path of the website to an address of the same website."
NOT_LISTED: Final = "The shop has a redirect for this path, but does not list it yet."
GONE: Final = "The redirect was deleted in the shop at the same moment."
OTHER_PATH: Final = "The shop would change this path, and then redirect a different path."
UNCLEAR: Final = "The shop has too many redirects with similar paths to find this one."
MISSING: Final = "DOES_NOT_EXIST"
MOST_REDIRECTS: Final = 100  # in one answer
MOST_PAGES: Final = 5  # of redirects with similar paths

_ID: Final = re.compile(r"gid://shopify/UrlRedirect/[0-9]{1,20}")
_MEMBERS: Final = "{ id path target }"

FIND: Final = f"""query FindRedirects($first: Int!, $after: String, $query: String!, $key: String!) {{
  {INSTALLATION}
  urlRedirects(first: $first, after: $after, query: $query, sortKey: ID) {{
    pageInfo {{ hasNextPage endCursor }}
    nodes {_MEMBERS}
  }}
}}"""
READ: Final = f"""query ReadRedirect($id: ID!, $key: String!) {{
  {INSTALLATION}
  urlRedirect(id: $id) {_MEMBERS}
}}"""
CREATE: Final = f"""mutation CreateRedirect($redirect: UrlRedirectInput!) {{
  written: urlRedirectCreate(urlRedirect: $redirect) {{
    urlRedirect {_MEMBERS} userErrors {{ field message code }}
  }}
}}"""
UPDATE: Final = f"""mutation UpdateRedirect($id: ID!, $redirect: UrlRedirectInput!) {{
  written: urlRedirectUpdate(id: $id, urlRedirect: $redirect) {{
    urlRedirect {_MEMBERS} userErrors {{ field message code }}
  }}
}}"""
DELETE: Final = """mutation DeleteRedirect($id: ID!) {
  written: urlRedirectDelete(id: $id) { deletedUrlRedirectId userErrors { field message code } }
}"""


class Redirect(Answer, frozen=True):
    """A redirect of the shop."""

    id: Id
    path: Text
    target: Text


class _Redirects(Answer, frozen=True):
    page_info: PageInfo
    nodes: Annotated[list[Redirect], Meta(max_length=MOST_REDIRECTS)]


class Found(Noted, frozen=True, kw_only=True):
    """One page of search results for a path's redirect, and the service's note about the last change of that
    path's redirect."""

    url_redirects: _Redirects


class ReadRedirect(Noted, frozen=True, kw_only=True):
    """A redirect (None if it was deleted), and the service's note about its last change."""

    url_redirect: Redirect | None = None


class _Written(Errors, frozen=True, kw_only=True):
    url_redirect: Redirect | None = None
    deleted_url_redirect_id: Id | None = None


class WrittenRedirect(Answer, frozen=True):
    """The ``data`` of Shopify's answer to a mutation that writes a redirect."""

    written: _Written


def fault(change: Change) -> str | None:
    """Return why the redirect cannot be sent to the shop, in words; None if it can. The change's ``key`` must be the
    path of its ``url``."""
    key, url = change.key or "", normalise(change.url)
    if url is None or path_and_query(url) != key or len(key) > MOST_KEY or key == "/":
        return NOT_A_REDIRECT
    if change.value is not None:
        target = normalise(change.value)
        if target is None or len(target) > MOST_KEY or target == url:
            return NOT_A_REDIRECT
    part = fixed(key)
    return None if part is None else FIXED.format(part)


def target_of(change: Change) -> str | None:
    """Return the target as the shop stores it: only the path if it is on the host of the change, else the whole
    address. Returns None if the text is not an address."""
    url, target = normalise(change.url), normalise(change.value or "")
    if url is None or target is None:
        return None
    return path_and_query(target) if origin(url) == origin(target) else target


def manner_of(change: Change) -> Manner:
    """Return how to compare redirect targets. Targets are compared and shown as absolute addresses; a path alone counts
    as a path on the host of the change."""
    base = normalise(change.url) or ""

    def shown(stored: str | None) -> str | None:
        if stored is None:
            return None
        try:
            return normalise(urljoin(base, stored)) or stored
        except ValueError:
            return stored

    return Manner(shown)


def id_of(change: Change) -> str | None:
    """Return the redirect id in a change's undo token; None if the change has no token, or the token no valid id."""
    undo = None if change.restore is None else undo_of(change.restore)
    return undo.id if undo is not None and undo.id is not None and _ID.fullmatch(undo.id) else None


def query_of(key: str) -> str:
    """Return the search query for redirects of a path."""
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'path:"{quoted}"'


def note_key(key: str) -> str:
    """Return the key of the metafield that holds the note about the last change of a path's redirect."""
    return f"redirect-{digest(key.lower()).hex()[:32]}"


def of_path(key: str, found: Sequence[Redirect]) -> Redirect | None:
    """Return the redirect of this path among the search results; None if it is not there."""
    return next((one for one in found if same_path(one.path, key)), None)


def same_path(one: str, other: str) -> bool:
    """Whether Shopify treats two paths as equal. Differences in percent-encoding do not count."""
    return _plain(one) == _plain(other)


def _plain(path: str) -> str:
    url = normalise(f"https://shop.invalid{path}") if path.startswith("/") else None
    return (path if url is None else path_and_query(url)).lower()
