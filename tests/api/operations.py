"""Every operation that is registered, with a path that works on a seeded website: what the tests over all use."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from chalicelib import api, clock
from chalicelib.domain import ids
from chalicelib.domain.accounts import keys as key_format
from chalicelib.http.endpoints import Endpoint
from chalicelib.store import items, keys
from tests import stored_search
from tests.api import seed
from tests.api.conftest import House

ENDPOINTS = [endpoint for name in api.GROUPS for endpoint in api.load(name).endpoints]
KEYED = [endpoint for endpoint in ENDPOINTS if endpoint.scope is not None]
OF_WEBSITE = [endpoint for endpoint in KEYED if endpoint.of_website]
READS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]
WRITES = [endpoint for endpoint in ENDPOINTS if endpoint.method != "GET"]
POSTS = [endpoint for endpoint in WRITES if endpoint.method == "POST"]

# Query parameters without which an operation is refused.
_REQUIRED_QUERY = {
    "read_page_by_address": "url={url}",
    "read_search_rows": f"from={stored_search.today() - timedelta(30)}&to={stored_search.today()}",
}
# Bodies of operations that need one, with the address of a page of the website.
_REQUIRED_BODY = {
    "put_content": lambda url: {
        "items": [{"cmsId": "post-1", "url": url, "type": "post", "status": "published", "title": "A post"}]
    },
    "write_llms_txt": lambda url: {"value": f"# Acme\n\n- [Start]({url}): where to begin\n"},
    "write_ai_crawlers": lambda url: {"rules": {"GPTBot": "deny"}},
    "post_alert": lambda url: {"kind": "content_changed", "at": "2026-11-21T16:20:00Z", "urls": [url]},
    "start_run": lambda url: {"url": url, "strategy": "mobile"},
    "start_preview": lambda url: {"url": "https://93.184.215.14/"},
    "apply_changes": lambda url: {"changes": [{"url": url, "value": "Hiking boots for every path"}]},
}
# Bodies that an operation refuses when it looks at what they mean; the others refuse to do again what is under way.
REFUSED_BODY: dict[str, Any] = {
    "start_preview": {"url": "https://93.184.215.14/with/a/path"},
    "write_llms_txt": {"value": "# A" + "a" * 60_000},
    "write_ai_crawlers": {"rules": {"NobodysBot": "deny"}},
    "post_alert": {"kind": "content_changed", "at": "2026-11-21T16:20:00Z", "urls": ["https://elsewhere.example/"]},
    "apply_changes": {"changes": [{"url": "https://elsewhere.example/", "value": "Hiking boots"}]},
}


@dataclass(frozen=True)
class Target:
    """A request that the operation answers with success, on a website that ``seed.settled`` has been run on and, for
    those that write through the CMS, ``seed.connected``."""

    endpoint: Endpoint
    path: str
    query: str
    body: str | None

    @property
    def whole(self) -> str:
        return self.path + (f"?{self.query}" if self.query else "")

    def with_value(self, name: str, value: str) -> str:
        """The request with this value of a parameter, all else as it is."""
        others = [part for part in self.query.split("&") if part and not part.startswith(f"{name}=")]
        return self.path + "?" + "&".join([*others, f"{name}={value}"])

    def with_query(self, query: str) -> str:
        return self.path + "?" + "&".join(part for part in (self.query, query) if part)


def target(endpoint: Endpoint, house: House, **replaced: str) -> Target:
    """The operation's request; ``replaced`` gives other path parameters."""
    names: dict[str, Any] = {
        "siteId": house.site.id,
        "issueId": ids.issue_id(house.site.id, seed.PAGE_RULE.id),
        "pageId": ids.page_id(house.site.id, seed.url(house.site, 0)),
        "auditId": seed.AUDIT,
        "jobId": seed.RUN,
        "batchId": seed.BATCH,
        "exportId": seed.EXPORT,
        "previewId": seed.PREVIEW,
    }
    path = endpoint.path.format(**(names | replaced))
    url = seed.url(house.site, 0)
    query = _REQUIRED_QUERY.get(endpoint.operation_id, "").format(url=url)
    body = _REQUIRED_BODY.get(endpoint.operation_id)
    return Target(endpoint, path, query, None if body is None else json.dumps(body(url)))


def name(endpoint: Endpoint) -> str:
    return endpoint.operation_id


def use_up(key: str) -> None:
    """Let the key have made all the requests of this hour."""
    parts = key_format.parse(key)
    assert parts is not None
    items.update(
        "accounts",
        *keys.key_secret(parts.sha256),
        "SET #used = :used, #hour = :hour",
        names={"#used": "used", "#hour": "hour"},
        values={":used": 1_200, ":hour": int(clock.now() // 3_600)},
    )
