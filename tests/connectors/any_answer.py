"""Every client of an outside system, and answers of any shape for it: whole ones with one odd value, and mere bytes.

``CLIENTS`` has one entry for each request that the service makes. ``answers`` draws what the other side sends.
"""

import gzip
import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from chalicelib.connectors import field_data
from chalicelib.connectors.analytics import Analytics
from chalicelib.connectors.assistants.providers import service
from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.google import GrantedAccount, Keeper, access_token, forget_tokens
from chalicelib.connectors.pagespeed import PageSpeedInsights
from chalicelib.connectors.search_console import SearchConsole
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.connector.messages import Change, FileChange
from chalicelib.domain.visibility.prompts import Place
from chalicelib.net.guard import Guard
from chalicelib.net.send import Sender
from tests.connectors import shops
from tests.net.lies import CHUNKED, LIES

SECRET: Final = "wos_cn_" + "5ec2e7" * 10
DAY: Final = date(2026, 10, 1)
CHANGE: Final = Change(
    change_id="c1", sequence=1, cms_id="gid://shopify/Page/7", url="https://shop.example/", field="title", value="New"
)
FILE: Final = FileChange(change_id="f1", sequence=1, file="llmsTxt", value="# Shop")


class _Kept(Keeper):
    id = "conn_1"

    def account(self) -> GrantedAccount:
        return GrantedAccount(client_id="client", client_secret=SECRET, refresh_token=SECRET + "r")

    def rotated(self, before: object, after: object) -> None:
        """A new refresh token is kept nowhere."""


class Client(NamedTuple):
    """One request: how it is made to an address, and a whole answer to it."""

    ask: Callable[[str], Any]
    whole: Any


def _token(_: str) -> str:
    forget_tokens()
    return access_token(_Kept(), "scope")


STATUS: Final = {
    "protocol": 1,
    "platform": "wordpress",
    "version": "1.0",
    "siteUrl": "https://shop.example/",
    "writable": False,
    "reason": "read only",
    "platformVersion": "6.5",
    "fields": ["title"],
    "files": ["llmsTxt"],
    "seoPlugin": "yoast",
    "titleCase": None,
    "pageCaches": ["cache"],
    "robotsFile": "virtual",
    "indexNowSender": None,
    "redirects": True,
}
OUTCOME: Final = {
    "state": "refused",
    "reason": "no",
    "before": "old",
    "after": "new",
    "undo": "token",
    "caches": [{"name": "cache", "cleared": True}],
}
ITEM: Final = {
    "cmsId": "7",
    "url": "https://shop.example/a",
    "type": "page",
    "status": "publish",
    "title": "A",
    "modifiedAt": "2026-10-01T00:00:00Z",
    "fields": {"title": "A", "meta_description": None, "canonical": None, "noindex": False},
}
_SHOP: Final = {"primaryDomain": {"url": "https://shop.example"}}
_COST: Final = {
    "cost": {
        "requestedQueryCost": 9,
        "throttleStatus": {"currentlyAvailable": 1, "restoreRate": 50, "maximumAvailable": 9},
    }
}
ABOUT: Final = {
    "data": {"shop": _SHOP, "currentAppInstallation": {"accessScopes": [{"handle": "write_products"}]}},
    "extensions": _COST,
}
THROTTLED: Final = {"errors": [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}], "extensions": _COST}
NODES: Final = {
    "data": {
        **ABOUT["data"],
        "products": {
            "pageInfo": {"hasNextPage": False, "endCursor": "c"},
            "nodes": [
                {
                    "__typename": "Product",
                    "id": "gid://shopify/Product/7",
                    "title": "A",
                    "updatedAt": "2026-10-01T00:00:00Z",
                    "onlineStoreUrl": "https://shop.example/a",
                    "seo": {"title": "A", "description": None},
                    "hidden": {"value": "1", "compareDigest": "d"},
                }
            ],
        },
        "collections": {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []},
        "pages": {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []},
    }
}
WRITTEN: Final = {
    "data": {
        "shop": _SHOP,
        "node": {
            "__typename": "Page",
            "handle": "a",
            "isPublished": True,
            "ownTitle": {"value": "old", "compareDigest": "d"},
            "note": {"value": '{"id": "c0"}', "compareDigest": "d"},
        },
        "written": {"userErrors": [{"message": "no", "code": "INVALID"}], "metafields": [{"compareDigest": "e"}]},
    }
}
_NOTED: Final = {"id": "gid://shopify/AppInstallation/1", "note": {"value": '{"id": "c0"}', "compareDigest": "d"}}
_FILE: Final = {"id": "gid://shopify/MediaImage/7", "alt": "A tent", "fileStatus": "READY"}
_LAST: Final = {"hasNextPage": False, "endCursor": "c"}
DESCRIBED: Final = {
    "data": {
        "shop": _SHOP,
        "currentAppInstallation": _NOTED,
        "files": {
            "pageInfo": _LAST,
            "nodes": [_FILE | {"image": {"url": "https://cdn.shopify.com/s/files/1/2/files/tent-1.jpg"}}],
        },
        "node": _FILE,
        "written": {"userErrors": [], "files": [_FILE]},
    }
}
_MOVED: Final = {"id": "gid://shopify/UrlRedirect/7", "path": "/old", "target": "/products/1"}
MOVED: Final = {
    "data": {
        "shop": _SHOP,
        "currentAppInstallation": _NOTED,
        "urlRedirects": {"pageInfo": _LAST, "nodes": [_MOVED]},
        "urlRedirect": _MOVED | {"target": "/products/2"},
        "written": {"userErrors": [], "urlRedirect": _MOVED, "deletedUrlRedirectId": _MOVED["id"]},
    }
}
LANDINGS: Final = {
    "rows": [
        {
            "dimensionValues": [{"value": "/a"}, {"value": "purchase"}],
            "metricValues": [{"value": one} for one in ("10", "4", "2.0", "0.2", "1", "9.5", "9.5")],
        }
    ],
    "rowCount": 1,
    "metadata": {
        "currencyCode": "EUR",
        "timeZone": "Europe/Berlin",
        "samplingMetadatas": [{"samplesReadCount": "25", "samplingSpaceSize": "100"}],
    },
}
ROWS: Final = {
    "rows": [{"keys": ["2026-10-01"], "clicks": 3.0, "impressions": 40.0, "ctr": 0.1, "position": 4.2}],
    "metadata": {"first_incomplete_date": "2026-10-03"},
}
RECORD: Final = {
    "record": {
        "metrics": {
            "largest_contentful_paint": {"percentiles": {"p75": 2400}},
            "cumulative_layout_shift": {"percentiles": {"p75": "0.05"}},
        },
        "collectionPeriod": {"lastDate": {"year": 2026, "month": 10, "day": 1}},
    }
}
_AUDIT: Final = {
    "id": "a",
    "title": "Title [link](https://x.example)",
    "description": "why",
    "score": 0.5,
    "scoreDisplayMode": "binary",
    "displayValue": "3 s",
    "explanation": "because",
    "numericValue": 12.5,
    "details": {"type": "table", "items": [{"node": {"selector": "a", "snippet": "<a>"}, "url": "https://x.example/"}]},
}
REPORT: Final = {
    "lighthouseResult": {
        "lighthouseVersion": "13.0.1",
        "finalUrl": "https://shop.example/",
        "configSettings": {"formFactor": "mobile"},
        "categories": {"agentic-browsing": {"auditRefs": [{"id": "a", "group": "x"}]}},
        "audits": {"a": _AUDIT, "largest-contentful-paint": _AUDIT, "lcp-discovery-insight": _AUDIT},
    }
}
FAULT: Final = {
    "error": {
        "message": "No such thing",
        "status": "INVALID",
        "code": 400,
        "type": "bad",
        "errors": [{"reason": "quotaExceeded"}],
        "details": [{"reason": "API_KEY_INVALID"}],
    },
    "code": "bad_signature",
    "message": "refused",
}
_ANNOTATION: Final = {"type": "url_citation", "url": "https://shop.example/a", "title": "shop.example"}
SPOKEN: Final[Mapping[str, Any]] = {
    "anthropic": {
        "content": [
            {"type": "web_search_tool_result", "content": [{"url": "https://shop.example"}]},
            {"type": "text", "text": "An answer.", "citations": [_ANNOTATION]},
        ],
        "model": "claude",
        "stop_reason": "end_turn",
    },
    "gemini": {
        "candidates": [
            {
                "content": {"parts": [{"text": "An answer.", "thought": False}]},
                "finishReason": "STOP",
                "groundingMetadata": {
                    "webSearchQueries": ["boots"],
                    "groundingChunks": [{"web": {"uri": "https://shop.example/a", "title": "shop.example"}}],
                    "groundingSupports": [{"groundingChunkIndices": [0]}],
                },
            }
        ],
        "modelVersion": "gemini",
    },
    "openai": {
        "model": "gpt",
        "status": "completed",
        "output": [
            {"type": "web_search_call", "status": "completed"},
            {"type": "message", "content": [{"type": "output_text", "text": "Yes.", "annotations": [_ANNOTATION]}]},
        ],
    },
    "perplexity": {
        "model": "sonar",
        "status": "completed",
        "output": [
            {"type": "search_results", "results": [{"id": 1, "url": "https://shop.example/a", "title": "A"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Yes [1].", "annotations": [_ANNOTATION]}]},
        ],
    },
}
PAUSED: Final = {**SPOKEN["anthropic"], "stop_reason": "pause_turn"}


def _assistant(provider: str, whole: Any, *, drafts: bool = False) -> Client:
    def ask(url: str) -> Any:
        found = service(provider, "", SECRET)
        return found.draft("Write.") if drafts else found.ask("Which boots?", Place("de", "AT"))

    return Client(ask, whole)


CLIENTS: Final[Mapping[str, Client]] = {
    "cms status": Client(lambda url: HttpCms(url, SECRET).status(), STATUS),
    "cms pair": Client(lambda url: HttpCms(url, SECRET).pair("code", "site_1", "https://api.example", "key"), STATUS),
    "cms items": Client(lambda url: HttpCms(url, SECRET).items(), {"items": [ITEM], "next": "n"}),
    "cms change": Client(lambda url: HttpCms(url, SECRET).change(CHANGE), OUTCOME),
    "cms file": Client(lambda url: HttpCms(url, SECRET).change_file(FILE), OUTCOME),
    "shop status": Client(lambda url: HttpShop(url, SECRET).status(), ABOUT),
    "shop throttled": Client(lambda url: HttpShop(url, SECRET).status(), THROTTLED),
    "shop items": Client(lambda url: HttpShop(url, SECRET).items(), NODES),
    "shop change": Client(lambda url: HttpShop(url, SECRET).change(CHANGE), WRITTEN),
    "shop alt": Client(lambda url: HttpShop(url, SECRET).change(shops.ALT), DESCRIBED),
    "shop redirect": Client(lambda url: HttpShop(url, SECRET).change(shops.REDIRECT), MOVED),
    "google token": Client(_token, {"access_token": "t", "expires_in": 3600, "refresh_token": SECRET + "n"}),
    "analytics": Client(lambda _: Analytics("1", ["shop.example"], _Kept()).landing_pages(DAY, DAY, "all"), LANDINGS),
    "search property": Client(lambda _: SearchConsole("x", _Kept()).check(), {"permissionLevel": "siteOwner"}),
    "search day": Client(lambda _: SearchConsole("x", _Kept()).final_day(DAY), ROWS),
    "search rows": Client(lambda _: SearchConsole("x", _Kept()).rows(DAY, ("query",)), ROWS),
    "search totals": Client(lambda _: SearchConsole("x", _Kept()).totals(DAY, DAY, None, "web"), ROWS),
    "field data": Client(lambda url: field_data.connected().site("https://shop.example/", "phone"), RECORD),
    "pagespeed": Client(lambda url: PageSpeedInsights.connected().run("https://shop.example/", "mobile"), REPORT),
    **{f"{provider} answer": _assistant(provider, whole) for provider, whole in SPOKEN.items()},
    **{f"{provider} draft": _assistant(provider, whole, drafts=True) for provider, whole in SPOKEN.items()},
    "anthropic pause": _assistant("anthropic", PAUSED),
    "receiver": Client(lambda url: Sender(Guard("127.0.0.0/8"), seconds=20.0).post(url, {}, b"{}"), {"ok": True}),
}

# -- answers -----------------------------------------------------------------------------------------------

# JSON that stands in the place of one value, as it is written.
ODD: Final = [
    *("null", "true", "false", "{}", "[]", '""', "0", "-1", "1.5", "-0.0", "1e308", "-1e308", "1e999", "1" + "0" * 30),
    *("9" * 400, "9" * 5_000, "NaN", "Infinity", "-Infinity", "0x10", "01", "+1"),
    *('"NaN"', '"Infinity"', '"-3"', '"1e30"', '"' + "9" * 5_000 + '"', '"1_0"', '"٣"', '"0x10"'),
    *(r'"\ud800"', r'"\udfff x"', r'"\u0000"', r'"\u001b]52;c;ZXZpbA==\u0007"', r'"a\rb\nc"', r'"\u202egnp.exe"'),
    *('"' + "long" * 20_000 + '"', "[" * 5_000 + "]" * 5_000, '{"a":' * 5_000 + "1" + "}" * 5_000, '[[{"a": [1]}]]'),
    *(
        '"0000-00-00"',
        '"9999-99-99T99:99:99Z"',
        '"0001-01-01T00:00:00+23:59"',
        '"http://[::1"',
        '"https://' + "a." * 999 + '"',
    ),
    *("[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900),
    *('{"message": 3}', '{"reason": [1]}', "[null]", '["x", 1]', "[{}]"),
]
_MARK: Final = "\u2603mark"
_STATUSES: Final = [
    "200 OK",
    "200 OK",
    "200 OK",
    "201 Made",
    "302 Found",
    "400 Bad",
    "401 No",
    "403 No",
    "404 No",
    "429 Slow",
    "500 Bad",
    "503 Later",
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all values inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    first, *rest = path
    if isinstance(value, dict):
        return {**value, first: _with(value[first], tuple(rest), new)}
    return [_with(one, tuple(rest), new) if number == first else one for number, one in enumerate(value)]


@st.composite
def texts(draw: st.DrawFn, whole: Any) -> bytes:
    """A whole JSON answer, or an error, with one or two odd values in it, cut off or in another encoding."""
    value = draw(st.sampled_from([whole, whole, whole, FAULT]))
    odd: list[str] = []
    for _ in range(draw(st.integers(1, 2))):
        marked = f"{_MARK}{len(odd)}"
        value = _with(value, draw(st.sampled_from(places(value))), marked)
        odd.append(draw(st.sampled_from(ODD)))
    text = json.dumps(value, ensure_ascii=False)
    for number, fragment in enumerate(odd):
        text = text.replace(f'"{_MARK}{number}"', fragment)
    body = text.encode("utf-8", "surrogatepass")
    match draw(st.sampled_from(["whole"] * 6 + ["cut", "utf-16", "latin-1", "twice", "bom"])):
        case "cut":
            return body[: draw(st.integers(0, len(body)))]
        case "utf-16" | "latin-1" as charset:
            return text.encode(charset, "replace")
        case "twice":
            return body + body
        case "bom":
            return b"\xef\xbb\xbf" + body
    return body


@st.composite
def answers(draw: st.DrawFn, whole: Any) -> bytes:
    """Everything that the other side sends."""
    kind = draw(st.sampled_from(["text"] * 6 + ["bytes", "lie", "gzip", "chunked"]))
    if kind == "bytes":
        return draw(st.binary(max_size=300))
    if kind == "lie":
        return LIES[draw(st.sampled_from(sorted(LIES)))]
    body = draw(texts(whole))
    if kind == "chunked":
        middle = draw(st.integers(0, len(body)))
        parts = [part for part in (body[:middle], body[middle:]) if part]
        return CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    coding = ""
    if kind == "gzip":
        body = gzip.compress(body, 1)
        body, coding = body[: draw(st.integers(0, len(body)))], "Content-Encoding: gzip\r\n"
    odd = draw(
        st.sampled_from(
            [
                "",
                "",
                "Retry-After: 9e999\r\n",
                "Retry-After: 999999\r\n",
                "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n",
                "X-Shopify-API-Version: \x1b[31m\x9b\r\n",
            ]
        )
    )
    head = f"HTTP/1.1 {draw(st.sampled_from(_STATUSES))}\r\n{coding}{odd}Content-Length: {len(body)}\r\n\r\n"
    return head.encode("latin-1") + body
