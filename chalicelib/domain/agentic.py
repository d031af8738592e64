"""Lighthouse's findings on a page: the checks of its Agentic Browsing category, and whether the largest image is loaded
late.

Texts are plain: Lighthouse's own markup (links, code marks) is removed. Only an item's ``snippet`` is HTML.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from chalicelib.domain.printable import printable

CheckState = Literal["pass", "fail", "na", "info", "error"]
ToldState = Literal["pass", "fail", "na", "info"]
Strategy = Literal["mobile", "desktop"]

# The category's id in Lighthouse, and its spelling in APIs that use camel case.
CATEGORIES: Final = ("agentic-browsing", "agenticBrowsing")
PASSES_FROM: Final = 0.9
MOST_ITEMS: Final = 5
LARGEST: Final = "lcp-discovery-insight"
_TEXT: Final = 300
_DETAIL: Final = 600
_VERSION: Final = 40
_MOST_CHECKS: Final = 200
_READ: Final = 2_000  # characters of a text that are searched for markup
_LINK: Final = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_ADDRESS: Final = re.compile(r"https?://\S+")
_COULD_NOT: Final = "Lighthouse could not make this check."


class Item(NamedTuple):
    """One place where a check fails: the problem, the element (as CSS selector and as HTML), and the URL of the file.

    A value that is absent is "".
    """

    text: str
    selector: str = ""
    snippet: str = ""
    url: str = ""


class Check(NamedTuple):
    """The result of one check of the Agentic Browsing category.

    The state ``info`` means that the check has no result, only information. ``error`` means that Lighthouse could not
    make the check.

    ``detail``: the explanation of a failed check, or the reason for an error; "" for all other states.
    """

    state: CheckState
    score: float | None = None
    shown: str = ""  # the value as Lighthouse shows it
    items: tuple[Item, ...] = ()  # at most 5
    title: str = ""
    detail: str = ""

    @property
    def told(self) -> ToldState:
        """The state that users see: ``error`` is shown as "na" (not applicable), because an error says nothing about
        the page."""
        return "na" if self.state == "error" else self.state


class Counts(NamedTuple):
    """How many of the applicable checks a page passes."""

    passed: int
    applicable: int


def counts(checks: Iterable[Check]) -> Counts:
    """Count the checks that passed and the checks that apply. Only checks that passed or failed apply. Lighthouse
    itself counts a check that it could not make as failed, so the fraction in its report can be lower."""
    states = [check.state for check in checks]
    return Counts(states.count("pass"), states.count("pass") + states.count("fail"))


class LargestImage(NamedTuple):
    """The image that is the page's Largest Contentful Paint.

    ``lazy``: whether the browser loads the image only when the visitor scrolls to it.
    """

    lazy: bool
    selector: str = ""
    snippet: str = ""


class AgenticResult(NamedTuple):
    """The last Agentic Browsing result of a page.

    - ``checks``: the checks by audit id, in the report's order. The ids come from the report; the service has no fixed
      list of ids.
    - ``flags``: features of the browser that were switched on for the test and that change the findings.
    """

    lighthouse_version: str
    strategy: Strategy
    checks: Mapping[str, Check]
    largest_image: LargestImage | None = None  # None: the largest paint is not an image, or is unknown
    flags: tuple[str, ...] = ()


def read_report(report: Mapping[str, object], flags: tuple[str, ...] = ()) -> AgenticResult:
    """Extract the data that rules need from a Lighthouse report (the object with ``audits`` and ``categories``)."""
    audits = _mapping(report.get("audits"))
    categories = _mapping(report.get("categories"))
    category = next((_mapping(categories[name]) for name in CATEGORIES if name in categories), {})
    checks = {}
    for reference in _list(category.get("auditRefs"))[:_MOST_CHECKS]:
        name = _plain(_mapping(reference).get("id"))
        if name in audits and _mapping(reference).get("group") != "hidden":
            checks[name] = _check(_mapping(audits[name]))
    form_factor = _mapping(report.get("configSettings")).get("formFactor")
    return AgenticResult(
        lighthouse_version=_plain(report.get("lighthouseVersion"), _VERSION),
        strategy="desktop" if form_factor == "desktop" else "mobile",
        checks=checks,
        largest_image=_largest_image(_mapping(audits.get(LARGEST))),
        flags=flags,
    )


def _check(audit: Mapping[str, object]) -> Check:
    number = _score(audit.get("score"))
    state = _state(audit.get("scoreDisplayMode"), number)
    return Check(
        state,
        number,
        _plain(audit.get("displayValue")),
        tuple(_first(_items(_mapping(audit.get("details"))))),
        _plain(audit.get("title")),
        _detail(state, audit),
    )


def _detail(state: CheckState, audit: Mapping[str, object]) -> str:
    if state == "error":
        return _plain(audit.get("errorMessage") or audit.get("explanation"), _DETAIL) or _COULD_NOT
    if state == "fail":
        return _plain(audit.get("explanation") or audit.get("description"), _DETAIL)
    return ""


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _state(mode: object, score: float | None) -> CheckState:
    if mode in ("notApplicable", "manual"):
        return "na"
    if mode == "informative":
        return "info"
    if mode == "error" or score is None:
        return "error"
    return "pass" if score >= PASSES_FROM else "fail"


def _items(details: Mapping[str, object]) -> Iterator[Item]:
    """Yield the rows of a table, or of the tables inside a list, in order."""
    if details.get("type") == "list":
        for section in _list(details.get("items")):
            inner = _mapping(section)
            yield from _items(_mapping(inner.get("value")) if inner.get("type") == "list-section" else inner)
    elif details.get("type") == "table":
        for row in _list(details.get("items")):
            yield _item(_mapping(row))


def _first(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the first few items, so that the rest of a long list is not read."""
    for number, item in enumerate(items, 1):
        yield item
        if number == MOST_ITEMS:
            return


def _item(row: Mapping[str, object]) -> Item:
    node: Mapping[str, object] = {}
    texts, url = [], ""
    for value in row.values():
        inner = _mapping(value)
        kind = inner.get("type")
        if kind == "node":
            node = inner
        elif kind in ("link", "source-location", "url"):
            url = url or _plain(inner.get("url") or inner.get("value"))
            value = inner.get("text")
        elif kind in ("code", "text"):
            value = inner.get("value")
        text = _plain(value)
        if _ADDRESS.fullmatch(text):
            url = url or text
        elif text and not text.startswith(("{", "[")):  # a tool's schema is JSON, which says nothing to a reader
            texts.append(text)
    told = ": ".join(texts) or _plain(node.get("nodeLabel"))
    return Item(told[:_TEXT], _shown(node, "selector"), _shown(node, "snippet"), url)


def _plain(value: object, most: int = _TEXT) -> str:
    """Return a text or number without Lighthouse's markup, in one line; "" for any other value."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    try:
        read = str(value)[:_READ]
    except ValueError:  # an integer of more digits than Python writes
        return ""
    return printable(_LINK.sub(r"\1", read).replace("`", ""), most)


def _shown(node: Mapping[str, object], name: str) -> str:
    value = node.get(name)
    return printable(value, _TEXT) if isinstance(value, str) else ""


def _largest_image(audit: Mapping[str, object]) -> LargestImage | None:
    eager: object = None
    node: Mapping[str, object] = {}
    for part in map(_mapping, _list(_mapping(audit.get("details")).get("items"))):
        if part.get("type") == "checklist":
            eager = _mapping(_mapping(part.get("items")).get("eagerlyLoaded")).get("value")
        elif part.get("type") == "node":
            node = part
        elif part.get("type") == "table":
            rows = [_mapping(row) for row in _list(part.get("items"))]
            node = next((_mapping(row["node"]) for row in rows if "node" in row), node)
    if not isinstance(eager, bool):
        return None
    return LargestImage(not eager, _shown(node, "selector"), _shown(node, "snippet"))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
