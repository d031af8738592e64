"""Examples of readiness for assistants."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import API, APP, BATCH, SHOP, SITE

_ROBOTS: Final = {"url": f"{SHOP}/robots.txt", "status": 200, "fetchedAt": "2026-11-22T02:00:05Z"}
_BOT: Final = {"bot": "GPTBot", "owner": "OpenAI", "purpose": "training", "kind": "crawler"}
_SEARCH_BOT: Final = {"bot": "OAI-SearchBot", "owner": "OpenAI", "purpose": "search", "kind": "crawler"}
_CMS: Final = {"connected": True, "writable": True}
_DRAFT: Final = (
    "# Example Shop\n\n> Clothes and gear for walking in the hills.\n\n## Pages\n\n"
    f"- [About us]({SHOP}/about/)\n- [Hiking jackets]({SHOP}/hiking-jackets/)\n"
)


def _approved(file: str) -> dict[str, Any]:
    return {
        "approved": 1,
        "batchId": BATCH,
        "poll": f"{API}/sites/{SITE}/geo/{file}",
        "note": "It is written after what was approved before, and the live file is read then.",
        "link": f"{APP}/sites/{SITE}/ai-readiness",
    }


EXAMPLES: Final[Mapping[str, Any]] = {
    "read_readiness": {
        "checkedAt": "2026-11-22T02:14:31Z",
        "robotsTxt": _ROBOTS,
        "crawlers": [
            {**_BOT, "allowed": False, "source": "robots_txt", "rule": "Disallow: /", "lineNumber": 6},
            {**_SEARCH_BOT, "allowed": True, "source": "robots_txt", "rule": None, "lineNumber": None},
        ],
        "llmsTxt": {
            "present": False,
            "url": f"{SHOP}/llms.txt",
            "status": 404,
            "bytes": 1_204,
            "checkedAt": "2026-11-22T02:00:09Z",
        },
        "entity": {
            "organizationSchema": True,
            "organizationName": "Example Shop",
            "sameAs": ["https://profiles.example.net/example-shop"],
            "aboutPage": f"{SHOP}/about/",
            "contactPage": None,
            "napAgrees": None,
        },
    },
    "read_llms_txt": {
        "url": f"{SHOP}/llms.txt",
        "live": {
            "found": False,
            "kind": "missing",
            "fetchedKind": "missing",
            "message": "There is no file: the address answers 404. Visitors get something else: a text, from a cache "
            "(cf-cache-status: HIT, age: 812).",
            "status": 404,
            "bytes": 1_204,
            "text": None,
            "truncated": False,
            "matchesLastWrite": None,
            "notVisibleYet": False,
            "cached": {"status": 200, "kind": "text", "found": True, "cache": "cf-cache-status: HIT, age: 812"},
            "fetchedAt": "2026-11-22T09:30:00Z",
        },
        "draft": {
            "text": _DRAFT,
            "chars": len(_DRAFT),
            "pages": [
                {"section": "Pages", "title": "About us", "url": f"{SHOP}/about/"},
                {"section": "Pages", "title": "Hiking jackets", "url": f"{SHOP}/hiking-jackets/"},
            ],
        },
        "cms": _CMS,
        "canPublish": True,
        "lastChange": None,
        "maxChars": 60_000,
    },
    "write_llms_txt.body": {"value": _DRAFT},
    "write_llms_txt": _approved("llms-txt"),
    "write_ai_crawlers.body": {"rules": {"GPTBot": "deny", "OAI-SearchBot": "allow"}},
    "write_ai_crawlers": _approved("ai-crawlers"),
    "read_ai_crawlers": {
        "robotsTxt": {**_ROBOTS, "fetchedAt": "2026-11-22T09:30:00Z"},
        "crawlers": [
            {
                **_BOT,
                "allowed": False,
                "source": "robots_txt",
                "line": "Disallow: /",
                "lineNumber": 6,
                "rule": None,
                "matches": None,
            },
            {
                **_SEARCH_BOT,
                "allowed": True,
                "source": "robots_txt",
                "line": None,
                "lineNumber": None,
                "rule": None,
                "matches": None,
            },
        ],
        "rules": {},
        "cms": _CMS,
        "canPublish": True,
        "lastChange": None,
        "note": "Lines 1 to 28 of robots.txt are put there by Cloudflare (managed robots.txt), not by the website; "
        "only Cloudflare's settings change them. They decide for GPTBot.",
    },
}
