"""A question about search performance, as it is worked out of what is stored."""

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
    """Rows of a dimension in a period. ``country`` in small letters; ``page``: an address, or a part of it."""

    dimension: Dimension
    period: Period
    search_type: SearchType = "web"
    country: str | None = None
    device: Device | None = None
    page: str | None = None

    @property
    def dataset(self) -> Dataset:
        """What is stored that answers it."""
        if self.dimension == "query_page":
            return "pairs"
        if self.dimension == "date":
            return "totals" if self.page is None else "page"
        return self.dimension

    @property
    def parts(self) -> list[str]:
        """What stands for it, with the website and a data version, in names."""
        filters = (self.search_type, self.country, self.device, self.page)
        # Unset, and set to nothing, are two things.
        return [
            self.dimension,
            self.period.first.isoformat(),
            self.period.last.isoformat(),
            *("-" if one is None else f"={one}" for one in filters),
        ]

    @property
    def matching(self) -> Callable[[str], bool] | None:
        """Which keys it is about; None: all of them."""
        if self.page is None:
            return None
        matches = page_matcher(self.page)
        if self.dimension == "query_page":
            return lambda key: matches(pairs.parts(key)[1])
        return matches


def page_matcher(wanted: str) -> Callable[[str], bool]:
    """Whether a page's address is the one that is wanted; of anything but a whole address, whether it contains that.

    A whole address is compared as it is written, and as addresses are normalised (letter case of the host, percent
    signs): search data know an address in one spelling only. One with a fragment is that fragment.
    """
    normalised = urls.normalise(wanted)
    if normalised is None:
        return lambda url: wanted in url
    exact = {wanted} if "#" in wanted else {wanted, normalised}
    return lambda url: url in exact
