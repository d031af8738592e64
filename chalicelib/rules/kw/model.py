"""The input and the results of keyword tasks.

A task judges pages that the last audit read: of others nothing is known but their address. Pages are named by their key
(``domain.search.addresses.page_key``).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.tokens import Vocabulary
from chalicelib.domain.search.topics import Topic
from chalicelib.rules.kw.expected import Curve

NOTHING: Final = Figures()


class KnownPage(NamedTuple):
    """A page as the last audit published it. ``headings``: (level, text) in order, None if nobody knows them;
    ``defects``: titles of the open issues of severity critical or high that list it; ``inlinks``: of the website's own
    pages that link it."""

    url: str
    status: int | None = 200
    indexable: bool = True
    title: str | None = None
    headings: Sequence[tuple[int, str]] | None = ()
    language: str | None = None
    defects: Sequence[str] = ()
    inlinks: int = 0

    @property
    def main_headings(self) -> list[str]:
        return [text for level, text in self.headings or () if level == 1]


class QueryPage(NamedTuple):
    """A query, a page that was shown for it, and what that brought in 28 days."""

    query: str
    page: str
    figures: Figures


class Conversion(NamedTuple):
    """Visits of 28 days from search that began on a page, and how many of them had a key event."""

    sessions: int
    converted: float


class AskedQuestion(NamedTuple):
    """A question that assistants were asked, of ``domain.visibility``. ``is_gap``: no answer names the website, and
    others are named or cited; ``cited``: keys of the pages that answers cite, None if nobody knows which of the
    website's own; ``others``: hosts of other pages that they cite."""

    text: str
    answers: int
    is_gap: bool
    cited: frozenset[str] | None
    others: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SearchData:
    """A website's search data. ``pages``, ``before`` and ``year_ago``: of the 28 days of ``period``, of those before,
    and of the same a year earlier, by page; None if that was not imported. ``total`` and ``total_before``: of the
    website as a whole. ``days``: what each day brought for queries that several pages are shown for, by query.
    ``conversions``: by page, None without a connected analytics property. ``questions``: those that assistants
    answered."""

    period: Period
    known: Mapping[str, KnownPage]
    pages: Mapping[str, Figures] = field(default_factory=dict)
    before: Mapping[str, Figures] | None = None
    year_ago: Mapping[str, Figures] | None = None
    total: Figures = NOTHING
    total_before: Figures | None = None
    pairs: Sequence[QueryPage] = ()
    days: Mapping[str, Sequence[Mapping[str, Figures]]] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary(None))
    topics: Sequence[Topic] = ()
    conversions: Mapping[str, Conversion] | None = None
    questions: Sequence[AskedQuestion] = ()

    @cached_property
    def curve(self) -> Curve:
        """How often a result is clicked on this website, by its position: without queries for its name."""
        return Curve(pair.figures for pair in self.unnamed)

    @cached_property
    def unnamed(self) -> list[QueryPage]:
        """The pairs of pages that an audit read and queries that do not name the website."""
        return [pair for pair in self.pairs if pair.page in self.known and not self.vocabulary.is_named(pair.query)]

    def words(self, text: str, page: KnownPage) -> frozenset[str]:
        """The words that may be the topic of a text of a page."""
        return frozenset(word.key for word in self.vocabulary.words(text, page.language))


class Task(NamedTuple):
    """A task for a page. ``gain``: in clicks of 28 days, None if there is no measure; ``query``: the one that it is
    about most."""

    message: str
    details: Mapping[str, object]
    gain: float | None = None
    query: str | None = None

    def evidence(self) -> dict[str, object]:
        return {"message": self.message, **self.details}


# Of each page that the task applies to: what is to do, None if nothing is.
Verdicts = Iterable[tuple[str, Task | None]]


def shown(figures: Figures) -> dict[str, object]:
    """Figures as evidence names them."""
    position = figures.position
    return {
        "clicks": figures.clicks,
        "impressions": figures.impressions,
        "position": None if position is None else round(position, 1),
    }
