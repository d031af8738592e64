"""The input and the results of keyword tasks.

A task judges only pages that the last audit read, because for all other pages only the address is known. Pages are
identified by their key (``domain.search.addresses.page_key``).
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
    """A page as the last audit published it.

    - ``headings``: (level, text) in order, None if unknown.
    - ``defects``: titles of the open issues of severity critical or high that list the page.
    - ``inlinks``: how many pages of the website link to it.
    """

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
    """A query, a page that search showed for it, and the figures of this pair in 28 days."""

    query: str
    page: str
    figures: Figures


class Conversion(NamedTuple):
    """Visits from search that began on a page in 28 days, and how many of them had a key event."""

    sessions: int
    converted: float


class AskedQuestion(NamedTuple):
    """A question that assistants were asked (see ``domain.visibility``).

    - ``is_gap``: whether no answer names the website and at least one answer names or cites others.
    - ``cited``: keys of the website's pages that answers cite. None if an answer cites the website, but it is unknown
      which of its pages.
    - ``others``: hosts of the other websites that answers cite.
    """

    text: str
    answers: int
    is_gap: bool
    cited: frozenset[str] | None
    others: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SearchData:
    """A website's search data.

    - ``pages``: figures by page, of the 28 days of ``period``; None if not imported.
    - ``before``: figures by page, of the 28 days before these.
    - ``year_ago``: figures by page, of the 28 days of ``period`` a year earlier.
    - ``total`` and ``total_before``: figures of the website as a whole.
    - ``days``: the figures of each day, by query. Contains only queries for which search shows several pages.
    - ``conversions``: conversions by page; None without a connected analytics property.
    - ``questions``: the questions that assistants answered.
    """

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
        """The expected share of clicks at each position, computed from this website's figures. Queries for the
        website's name are left out."""
        return Curve(pair.figures for pair in self.unnamed)

    @cached_property
    def unnamed(self) -> list[QueryPage]:
        """The pairs of a query and a page.

        Pairs whose query names the website are left out, and so are pairs whose page the last audit did not read.
        """
        return [pair for pair in self.pairs if pair.page in self.known and not self.vocabulary.is_named(pair.query)]

    def words(self, text: str, page: KnownPage) -> frozenset[str]:
        """Return the words of a page's text that may name the topic, without stop words."""
        return frozenset(word.key for word in self.vocabulary.words(text, page.language))


class Task(NamedTuple):
    """A task for a page.

    ``gain``: how many clicks per 28 days the task may win; None if this cannot be estimated. ``query``: the main query
    of the task.
    """

    message: str
    details: Mapping[str, object]
    gain: float | None = None
    query: str | None = None

    def evidence(self) -> dict[str, object]:
        return {"message": self.message, **self.details}


# For each page that the task applies to: the task, or None if there is nothing to do.
Verdicts = Iterable[tuple[str, Task | None]]


def shown(figures: Figures) -> dict[str, object]:
    """Return search figures as members of a task's evidence: ``clicks``, ``impressions`` and ``position``."""
    position = figures.position
    return {
        "clicks": figures.clicks,
        "impressions": figures.impressions,
        "position": None if position is None else round(position, 1),
    }
