"""What Lighthouse found on a page: the checks of its Agentic Browsing category, and how the largest image is loaded."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

CheckState = Literal["pass", "fail", "na", "info", "error"]

CATEGORY: Final = "agentic-browsing"
PASSES_FROM: Final = 0.9
MOST_ITEMS: Final = 5
_LARGEST: Final = "lcp-discovery-insight"
_TEXT: Final = 300


class Item(NamedTuple):
    """One place where a check fails: what is wrong, and the element as CSS selector and as HTML ("" where none)."""

    text: str
    selector: str = ""
    snippet: str = ""


class Check(NamedTuple):
    """One audit of the category. ``info``: shown, never judged; ``error``: Lighthouse could not judge."""

    state: CheckState
    score: float | None = None
    shown: str = ""  # the value as Lighthouse shows it
    items: tuple[Item, ...] = ()  # at most 5


class LargestImage(NamedTuple):
    """The image that is the largest paint of the page. ``lazy``: it is loaded only when scrolled to."""

    lazy: bool
    selector: str = ""
    snippet: str = ""


class AgenticResult(NamedTuple):
    """The last result of a page. ``checks`` by audit id; ids come from the report, never from a fixed list."""

    lighthouse_version: str
    strategy: Literal["mobile", "desktop"]
    checks: Mapping[str, Check]
    largest_image: LargestImage | None = None  # None: the largest paint is no image, or Lighthouse does not say


def read_report(report: Mapping[str, object]) -> AgenticResult:
    """What rules need of a Lighthouse report (the object with ``audits`` and ``categories``)."""
    audits = _mapping(report.get("audits"))
    category = _mapping(_mapping(report.get("categories")).get(CATEGORY))
    checks = {}
    for reference in _list(category.get("auditRefs")):
        name = str(_mapping(reference).get("id", ""))
        if name in audits and _mapping(reference).get("group") != "hidden":
            checks[name] = _check(_mapping(audits[name]))
    form_factor = str(_mapping(report.get("configSettings")).get("formFactor", "mobile"))
    return AgenticResult(
        lighthouse_version=str(report.get("lighthouseVersion", "")),
        strategy="desktop" if form_factor == "desktop" else "mobile",
        checks=checks,
        largest_image=_largest_image(_mapping(audits.get(_LARGEST))),
    )


def _check(audit: Mapping[str, object]) -> Check:
    score = audit.get("score")
    number = float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
    shown = str(audit.get("displayValue") or "")[:_TEXT]
    items = tuple(_items(_mapping(audit.get("details"))))[:MOST_ITEMS]
    return Check(_state(str(audit.get("scoreDisplayMode", "")), number), number, shown, items)


def _state(mode: str, score: float | None) -> CheckState:
    if mode in ("notApplicable", "manual"):
        return "na"
    if mode == "informative":
        return "info"
    if mode == "error" or score is None:
        return "error"
    return "pass" if score >= PASSES_FROM else "fail"


def _items(details: Mapping[str, object]) -> Iterator[Item]:
    """The rows of a table, or of the tables inside a list, in order."""
    if details.get("type") == "list":
        for section in _list(details.get("items")):
            inner = _mapping(section)
            yield from _items(_mapping(inner.get("value")) if inner.get("type") == "list-section" else inner)
    elif details.get("type") == "table":
        for row in _list(details.get("items")):
            yield _item(_mapping(row))


def _item(row: Mapping[str, object]) -> Item:
    node: Mapping[str, object] = {}
    texts = []
    for value in row.values():
        if isinstance(value, Mapping) and value.get("type") == "node":
            node = value
        elif isinstance(value, str | int | float):
            texts.append(str(value))
    text = ": ".join(texts) or str(node.get("nodeLabel", ""))
    return Item(text[:_TEXT], str(node.get("selector", ""))[:_TEXT], str(node.get("snippet", ""))[:_TEXT])


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
    return LargestImage(not eager, str(node.get("selector", ""))[:_TEXT], str(node.get("snippet", ""))[:_TEXT])


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
