"""A request for search figures (a question), and the stored data that answers it."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from chalicelib.domain.crawl import urls
from chalicelib.domain.search import pairs
from chalicelib.domain.search.manifest import Dataset
from chalicelib.domain.search.periods import Period

Dimension = Literal["query", "page", "query_page", "date"]
SearchType = Literal["web", "image"]
Device = Literal["mobile", "desktop", "tablet"]


class Question(NamedTuple):
    """A request for the search figures of a period, by query, by page, by both or by day (``dimension``).

    The other fields are filters. ``country``: a code in small letters. ``page``: an address, or a part of one.
    """

    dimension: Dimension
    period: Period
    search_type: SearchType = "web"
    country: str | None = None
    device: Device | None = None
    page: str | None = None

    @property
    def dataset(self) -> Dataset:
        """The stored data that answers the question."""
        if self.dimension == "query_page":
            return "pairs"
        if self.dimension == "date":
            return "totals" if self.page is None else "page"
        return self.dimension

    @property
    def parts(self) -> list[str]:
        """Texts that identify the question: different questions about a website have different texts."""
        filters = (self.search_type, self.country, self.device, self.page)
        # An unset filter and an empty filter differ.
        return [
            self.dimension,
            self.period.first.isoformat(),
            self.period.last.isoformat(),
            *("-" if one is None else f"={one}" for one in filters),
        ]

    @property
    def matching(self) -> Callable[[str], bool] | None:
        """Return a function that tests whether a key passes the filter ``page``; None if there is no such filter."""
        if self.page is None:
            return None
        matches = page_matcher(self.page)
        if self.dimension == "query_page":
            return lambda key: matches(pairs.parts(key)[1])
        return matches


def page_matcher(wanted: str) -> Callable[[str], bool]:
    """Return a function that tests a page's address.

    The function accepts the ``wanted`` address. If ``wanted`` is not a whole address, it accepts every address that
    contains it.

    A whole address is compared as written and in normal form (letter case of the host, percent-encoding), since search
    data has each address in only one spelling. An address with a fragment matches only with that fragment.
    """
    normalised = urls.normalise(wanted)
    if normalised is None:
        return lambda url: wanted in url
    exact = {wanted} if "#" in wanted else {wanted, normalised}
    return lambda url: url in exact
