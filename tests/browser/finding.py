"""Which screens there are, and an address of each."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from chalicelib.web.routing import ROUTES, Route, match
from tests.browser.service import ROOT, Service

SCREENS: Final = ROOT / "chalicelib" / "web" / "screens"
SHOWN: Final = [
    route for route in ROUTES if "\ndef show(" in (SCREENS / f"{route.screen}.py").read_text(encoding="utf-8")
]
_ID: Final = re.compile(r"[a-z]+_[0-9A-Za-z]{16,}")
# The links of API answers that no screen is made for yet. One that has a screen may not stand here.
AWAITED: Final[frozenset[str]] = frozenset()


def shape(path: str) -> str:
    """A path below the root with ``{}`` in place of ids."""
    return "/".join("{}" if _ID.fullmatch(part) else part for part in path.split("/"))


def below(service: Service, address: str) -> str | None:
    """The path below the app's root that an address leads to; None: it leads elsewhere."""
    path = urlsplit(address)._replace(query="", fragment="").geturl()
    if path == service.app:
        return ""
    return path.removeprefix(f"{service.app}/") if path.startswith(f"{service.app}/") else None


def route_of(path: str) -> Route | None:
    found = match(path)
    return None if found is None else found.route


LEADING: Final = "a[href], form[method=get]"  # what leads from one screen to another


class _Leading(HTMLParser):
    """Collects the addresses that ``LEADING`` selects."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and "href" in given:
            self.found.append(given["href"] or "")
        elif tag == "form" and given.get("method") == "get":
            self.found.append(given.get("action") or "")


def leading(url: str, html: str) -> list[str]:
    """The addresses that the page at this address leads to."""
    read = _Leading()
    read.feed(html)
    return [urljoin(url, one) for one in read.found]


def links(value: Any) -> Iterator[str]:
    """Every ``link`` of an answer."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "link" and isinstance(member, str):
                yield member
            yield from links(member)
    elif isinstance(value, list):
        for member in value:
            yield from links(member)


def pictures(service: Service) -> str:
    """The path of an issue's pictures: the first issue, which is looked at, need not be about any."""
    listed = service.read(f"/sites/{service.site_id}/issues?category=IMG")["issues"]
    issue = next(one for one in listed if one["ruleId"] == "SEO-IMG-001")
    return f"sites/{service.site_id}/issues/{issue['id']}/images"


def first(service: Service) -> dict[str, str]:
    """An id for each of these path parameters."""
    site = f"/sites/{service.site_id}"
    return {
        "{issueId}": service.read(f"{site}/issues")["issues"][0]["id"],
        "{pageId}": service.read(f"{site}/pages?per=1")["pages"][0]["id"],
        "{auditId}": service.read(f"{site}/audits?limit=1")["audits"][0]["id"],
        "{batchId}": service.read(f"{site}/changes")["batches"][0]["batchId"],
    }


def answers(service: Service) -> dict[str, Any]:
    """What every GET of the API answers, by its path in the description. Raises where one cannot be asked."""
    site, known = f"/sites/{service.site_id}", first(service)
    url = service.read(f"{site}/pages?per=1")["pages"][0]["url"]
    sent = {"/sites/{siteId}/pages/findings": f"?url={url}"}
    found = {}
    for path, methods in service.read("/openapi.json")["paths"].items():
        if "get" not in methods or path in UNASKED:
            continue
        asked = path.replace("{siteId}", service.site_id)
        for name, value in known.items():
            asked = asked.replace(name, value)
        assert "{" not in asked, f"no test knows a value for {path}"
        status, answer = service.ask("GET", asked + sent.get(path, ""))
        assert status == 200 or path in MAY_BE_ABSENT, f"{path}: {status} {answer}"
        found[path] = answer
    return found


# The description's examples are of another service. Rows of search data have no link and need a span of days; the demo
# website has no run of agentic tasks, no export and no preview.
UNASKED: Final = frozenset(
    {
        "/openapi.json",
        "/sites/{siteId}/search/rows",
        "/sites/{siteId}/agentic/runs/{jobId}",
        "/sites/{siteId}/exports/{exportId}",
        "/sites/{siteId}/previews/{previewId}",
        "/sites/{siteId}/previews/{previewId}/report",
        "/sites/{siteId}/previews/{previewId}/diff",
        "/sites/{siteId}/previews/{previewId}/gate",
    }
)
MAY_BE_ABSENT: Final = frozenset({"/sites/{siteId}/audits/{auditId}/diff", "/sites/{siteId}/geo/llms-txt"})
