"""A stand-in for PageSpeed Insights. It reads the page without a browser, and makes a Lighthouse report of the facts
that it finds.

Its checks and times depend only on the page, so an unchanged page gets the same report. It tests only websites of the
local service, because its reports on other websites would be wrong.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from chalicelib.net.calls import NoAnswer, Reply, call
from chalicelib.settings.network import network_settings
from local.standins.google_keys import KEY, Asked, GoogleStandin, Misstep
from local.standins.partial import kept, read

VERSION: Final = "13.5.0"
_PATH: Final = "/pagespeedonline/v5/runPagespeed"
_SECONDS: Final = 20.0
_MOST_REDIRECTS: Final = 5
_MOST_NODES: Final = 20
_LEAST_LLMS: Final = 50  # characters; a shorter llms.txt is not useful


class PageSpeed(GoogleStandin):
    """A stand-in for PageSpeed Insights, as an HTTP server on a free port. It runs from its creation until ``stop``.

    It has these faults in addition to those of ``GoogleStandin``:

    - ``page_error``: the page could not be tested (status 400).
    - ``broken_page``: the page could not be tested, with status 500.
    - ``hollow``: a report without results.
    """

    name = called = "psi"
    faults = (*GoogleStandin.faults, "page_error", "broken_page", "hollow")

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that connect the service to this stand-in. Returns {} if ``given``, the user's own
        settings, already names another test engine."""
        if given.get("PAGESPEED_API_KEY") or given.get("PAGESPEED_URL") or given.get("SPEED_PROVIDER"):
            return {}
        return {"PAGESPEED_URL": self.url, "PAGESPEED_API_KEY": KEY}

    def answer(self, method: str, asked: Asked) -> dict[str, Any]:
        target = urlsplit(asked.path)
        if method != "GET" or target.path != _PATH:
            raise Misstep(404, "Not Found")
        pairs = parse_qsl(target.query)
        query = dict(pairs)
        strategy = query.get("strategy", "desktop").lower()
        url = query.get("url", "")
        if strategy not in ("mobile", "desktop") or not url.startswith(("http://", "https://")):
            raise Misstep(400, "Invalid value at 'url' or 'strategy'")
        if self.fault in ("page_error", "broken_page"):
            status = 400 if self.fault == "page_error" else 500
            raise Misstep(status, "Lighthouse returned error: NO_FCP. The page did not paint any content.")
        categories = [value for name, value in pairs if name == "category"] or ["performance"]
        try:
            mask = read(query["fields"]) if "fields" in query else {}
        except ValueError as wrong:
            raise Misstep(400, str(wrong)) from None
        report = _report(url, strategy, categories)
        if self.fault == "hollow":
            report = {"lighthouseVersion": VERSION}
        whole = {"captchaResult": "CAPTCHA_NOT_NEEDED", "kind": "pagespeedonline#result", "lighthouseResult": report}
        answer: dict[str, Any] = kept(whole, mask)
        return answer


def _report(url: str, strategy: str, categories: list[str]) -> dict[str, Any]:
    try:
        final, reply = _load(url)
    except NoAnswer as reason:
        return _failed("FAILED_DOCUMENT_REQUEST", f"The page could not be loaded: {reason}")
    if reply.status >= 400:
        return _failed("ERRORED_DOCUMENT_REQUEST", f"The page answered {reply.status}")
    page = _Page(final, len(reply.body), LexborHTMLParser(reply.body.decode("utf-8", "replace")))
    audits = {audit["id"]: audit for audit in [*_performance(page, strategy), *_agentic(page)]}
    references: dict[str, list[dict[str, Any]]] = {
        "performance": [{"id": name, "weight": 1} for name in _PERFORMANCE],
        "agentic-browsing": [{"id": name, "weight": 1, "group": group} for name, group in _AGENTIC.items()],
    }
    chosen = [name for name in categories if name in references]
    shown = {reference["id"] for name in chosen for reference in references[name]}
    return {
        "requestedUrl": url,
        "finalUrl": final,
        "finalDisplayedUrl": final,
        "lighthouseVersion": VERSION,
        "configSettings": {"formFactor": strategy, "locale": "en-US"},
        "runWarnings": ["This is the stand-in of the local service: no browser has loaded the page."],
        "categories": {name: {"id": name, "auditRefs": references[name]} for name in chosen},
        "audits": {name: audit for name, audit in audits.items() if name in shown},
        "fullPageScreenshot": {"screenshot": {"data": "x" * 100_000}},
    }


class _Page(NamedTuple):
    url: str
    size: int
    tree: LexborHTMLParser


def _load(url: str) -> tuple[str, Reply]:
    """Follow redirects from ``url``. Returns the last address and its answer. Raises ``NoAnswer``."""
    settings = network_settings()
    for _ in range(_MOST_REDIRECTS):
        if not (urlsplit(url).hostname or "").endswith((".test", "127.0.0.1", "localhost")):
            raise NoAnswer("the stand-in tests websites of the local service only")
        reply = call(
            "GET",
            url,
            {"User-Agent": "Lighthouse stand-in"},
            seconds=_SECONDS,
            allow_addresses=settings.allow_addresses,
            extra_hosts=settings.extra_hosts,
            ca_file=settings.extra_ca_file,
        )
        if reply.status not in (301, 302, 303, 307, 308) or "location" not in reply.headers:
            return url, reply
        url = urljoin(url, reply.headers["location"])
    raise NoAnswer("the page redirects too often")


def _failed(code: str, message: str) -> dict[str, Any]:
    return {"lighthouseVersion": VERSION, "runtimeError": {"code": code, "message": message}}


# -- performance -------------------------------------------------------------------------------------------

_PERFORMANCE: Final = (
    "largest-contentful-paint",
    "total-blocking-time",
    "cumulative-layout-shift",
    "lcp-discovery-insight",
)


def _performance(page: _Page, strategy: str) -> list[dict[str, Any]]:
    slower = 1.0 if strategy == "mobile" else 0.4
    first = page.tree.css_first("main img") or page.tree.css_first("img")
    lazy = first is not None and (first.attributes.get("loading") or "").lower() == "lazy"
    unsized = [image for image in page.tree.css("img") if not {"width", "height"} <= image.attributes.keys()]
    paint = (900 + page.size / 40 + (2_200 if lazy else 0)) * slower
    blocked = 30.0 * len(page.tree.css("script[src]")) * slower
    shift = min(0.12 * len(unsized), 0.9)
    return [
        _metric(_PERFORMANCE[0], "Largest paint", paint, 2_500, f"{paint / 1000:.1f} s"),
        _metric(_PERFORMANCE[1], "Blocking time", blocked, 200, f"{blocked:.0f} ms"),
        _metric(_PERFORMANCE[2], "Layout shift", shift, 0.1, f"{shift:.3f}"),
        _discovery(first, lazy),
    ]


def _metric(name: str, title: str, value: float, good: float, shown: str) -> dict[str, Any]:
    found = _audit(name, title, 1.0 if value <= good else 0.3, "numeric")
    return found | {"numericValue": value, "displayValue": shown}


def _discovery(image: LexborNode | None, lazy: bool) -> dict[str, Any]:
    name, title = "lcp-discovery-insight", "How the largest image is found"
    if image is None:
        return _audit(name, title, None, "notApplicable")
    checklist = {"type": "checklist", "items": {"eagerlyLoaded": {"label": "not lazy", "value": not lazy}}}
    details = {"type": "list", "items": [checklist, _node(image)]}
    return _audit(name, title, 0.0 if lazy else 1.0, "numeric", details)


# -- agentic browsing --------------------------------------------------------------------------------------

_AGENTIC: Final = {
    "agent-accessibility-tree": "agent-accessibility",
    "webmcp-form-coverage": "webmcp",
    "webmcp-registered-tools": "webmcp",
    "webmcp-schema-validity": "webmcp",
    "cumulative-layout-shift": "",
    "llms-txt": "agent-discoverability",
    "ard-schema": "agent-discoverability",
}


# Names of checks of features that browsers offer only behind a flag.
_TOOLS: Final = {
    "webmcp-form-coverage": "Forms offered as tools",
    "webmcp-registered-tools": "Tools for agents",
    "webmcp-schema-validity": "Schemas of tools",
}


def _agentic(page: _Page) -> list[dict[str, Any]]:
    off = "The browser of this service does not offer tools to pages."
    return [
        _tree(page),
        *(_audit(name, title, None, "notApplicable") | {"description": off} for name, title in _TOOLS.items()),
        _llms(page.url),
        _audit("ard-schema", "Catalogue of agents", None, "notApplicable"),
    ]


def _tree(page: _Page) -> dict[str, Any]:
    rows = [
        {"description": f"{what} must have a name", "node": _node(node)}
        for what, selector in (("Buttons", "button"), ("Links", "a[href]"))
        for node in page.tree.css(selector)
        if not _named(node)
    ][:_MOST_NODES]
    name = "agent-accessibility-tree"
    if not rows:
        return _audit(name, "The accessibility tree is whole", 1.0, "binary")
    table = {"type": "table", "items": rows}
    details = {"type": "list", "items": [{"type": "list-section", "title": "Failing", "value": table}]}
    return _audit(name, "The accessibility tree has faults", 0.0, "binary", details)


def _named(node: LexborNode) -> bool:
    if node.text(strip=True) or any(node.attributes.get(name) for name in ("aria-label", "aria-labelledby", "title")):
        return True
    return any(inner.attributes.get("alt") for inner in node.css("img")) or bool(node.css("svg title"))


def _llms(url: str) -> dict[str, Any]:
    name, title = "llms-txt", "llms.txt"
    try:
        _, reply = _load(urljoin(url, "/llms.txt"))
    except NoAnswer:
        return _audit(name, title, 0.0, "binary", _messages("The file could not be fetched."))
    if 400 <= reply.status < 500:
        return _audit(name, title, None, "notApplicable")
    text = reply.body.decode("utf-8", "replace")
    wrong = []
    if reply.status >= 500:
        wrong.append("The file could not be fetched.")
    elif not any(line.lstrip().startswith("# ") for line in text.splitlines()):
        wrong.append("The file has no heading.")
    if "](" not in text:
        wrong.append("The file has no links.")
    if len(text) < _LEAST_LLMS:
        wrong.append("The file is very short.")
    return _audit(name, title, 0.0 if wrong else 1.0, "binary", _messages(*wrong) if wrong else None)


def _messages(*messages: str) -> dict[str, Any]:
    return {"type": "table", "items": [{"message": message} for message in messages]}


# -- common helpers ----------------------------------------------------------------------------------------


def _audit(
    name: str, title: str, score: float | None, mode: str, details: dict[str, Any] | None = None
) -> dict[str, Any]:
    about = "Judged by the stand-in of the local service from the page's HTML. [More](https://example.org/)."
    found = {"id": name, "title": title, "description": about, "score": score, "scoreDisplayMode": mode}
    return found if details is None else found | {"details": details}


def _node(node: LexborNode) -> dict[str, Any]:
    html = node.html or ""
    names = []
    above: LexborNode | None = node
    while above is not None and above.tag not in ("html", "-undef"):
        names.append(above.tag or "")
        above = above.parent
    selector = " > ".join(reversed(names[:4]))
    return {"type": "node", "selector": selector, "snippet": html.partition(">")[0] + ">", "nodeLabel": selector}
