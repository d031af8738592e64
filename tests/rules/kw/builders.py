"""What search told of a small website, for the tables of keyword tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.tokens import Vocabulary
from chalicelib.domain.search.topics import Topic, TopicPage
from chalicelib.rules.kw.model import Conversion, KnownPage, QueryPage, SearchData

HOST: Final = "example.com"
PAGE: Final = HOST + "/page"
OTHER: Final = HOST + "/other"
PERIOD: Final = Period(date(2026, 10, 22), date(2026, 11, 18))


@dataclass(frozen=True)
class Case:
    """What is known of a website's searches, and what the task says of ``page``: words of its message, members of its
    evidence, and what there is to win."""

    data: SearchData
    page: str = PAGE
    says: str = ""
    seen: Mapping[str, object] = field(default_factory=dict)
    gain: float | None = None


def figures(clicks: int, impressions: int, position: float = 5.0) -> Figures:
    return Figures.told(clicks, impressions, position)


def pair(query: str, clicks: int, impressions: int, position: float = 5.0, page: str = PAGE) -> QueryPage:
    return QueryPage(query, page, figures(clicks, impressions, position))


def known(page: str = PAGE, **changes: Any) -> KnownPage:
    given: dict[str, Any] = {"title": "All about tents", "headings": [(1, "Tents"), (2, "Sizes")], **changes}
    return KnownPage("https://" + page, **given)


def topic(name: str, pages: Sequence[str], clicks: int) -> Topic:
    listed = tuple(TopicPage("https://" + page, 0, 10, 50) for page in pages)
    return Topic(f"topic_{name}", name, "queries", None, (name,), len(pages), 0, clicks, 10, 50, listed, ())


def searches(*pairs: QueryPage, pages: Mapping[str, Figures] | None = None, **members: Any) -> SearchData:
    """Searches of a website of two pages, called Acme."""
    crawled = {PAGE: known(), OTHER: known(OTHER)}
    given: dict[str, Any] = {
        "period": PERIOD,
        "known": crawled,
        "pairs": pairs,
        "pages": pages if pages is not None else {},
        "vocabulary": Vocabulary("en", ["Acme"]),
        **members,
    }
    return SearchData(**given)


def visits(sessions: int, converted: float) -> Conversion:
    return Conversion(sessions, converted)
