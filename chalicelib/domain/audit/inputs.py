"""The inputs of an audit in addition to its crawl: search data, CMS content, speed tests, rendered pages.

A rule that needs an input reports nothing if the input is missing.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from chalicelib.domain.agentic import AgenticResult
from chalicelib.domain.content import ContentItem
from chalicelib.domain.page.rendered import Told
from chalicelib.domain.search.figures import Figures

Metric = Literal["lcp", "cls", "inp"]
Source = Literal["field_page", "field_site", "lab"]
Input = Literal["search", "speed", "rendered", "content", "agentic"]  # the members of SiteInputs

# The highest good values (Core Web Vitals). Lab tests measure blocking time instead of INP.
GOOD_LCP_MS: Final = 2_500
GOOD_CLS: Final = 0.10
GOOD_INP_MS: Final = 200
GOOD_BLOCKING_MS: Final = 600
LEAST_RUNS: Final = 3  # a lab value is the median of at least 3 runs, because single runs differ too much


class LabSpeed(NamedTuple):
    """Medians of ``runs`` lab tests of a page on a phone. ``blocking_ms``: total blocking time."""

    runs: int
    lcp_ms: float | None = None
    cls: float | None = None
    blocking_ms: float | None = None


class FieldSpeed(NamedTuple):
    """Speed data from real visitors on phones over 28 days, as 75th percentiles. The data is about one page or about
    the whole website."""

    scope: Literal["page", "site"]
    lcp_ms: float | None = None
    cls: float | None = None
    inp_ms: float | None = None


class PageSpeed(NamedTuple):
    """The speed of one page. Values that were not measured are None."""

    lab: LabSpeed | None = None
    field: FieldSpeed | None = None

    def source(self, metric: Metric) -> Source | None:
        """Return the measurement that findings use:

        - The page's own field data, if there is any.
        - Otherwise the website's field data, if the lab value is bad too.
        - Otherwise the lab value.

        Returns None if nothing was measured.
        """
        field, lab = self._field(metric), self._lab(metric)
        if field is not None and self.field is not None:
            if self.field.scope == "page":
                return "field_page"
            if lab is not None and lab > _GOOD_IN_LAB[metric]:
                return "field_site"
        return None if lab is None else "lab"

    def value(self, metric: Metric) -> float | None:
        """Return the value of the measurement that ``source`` chooses, in milliseconds (CLS has no unit).

        For "inp", the lab value is the blocking time.
        """
        source = self.source(metric)
        if source is None:
            return None
        return self._lab(metric) if source == "lab" else self._field(metric)

    def _field(self, metric: Metric) -> float | None:
        if self.field is None:
            return None
        return {"lcp": self.field.lcp_ms, "cls": self.field.cls, "inp": self.field.inp_ms}[metric]

    def _lab(self, metric: Metric) -> float | None:
        if self.lab is None or self.lab.runs < LEAST_RUNS:
            return None
        return {"lcp": self.lab.lcp_ms, "cls": self.lab.cls, "inp": self.lab.blocking_ms}[metric]


_GOOD_IN_LAB: Final[dict[Metric, float]] = {"lcp": GOOD_LCP_MS, "cls": GOOD_CLS, "inp": GOOD_BLOCKING_MS}


class SiteInputs(NamedTuple):
    """Data of a website that does not come from its crawls. Each field is a mapping by page address, or None if there
    is no data.

    - ``search``: 28 days of search data.
    - ``speed``: speed measurements.
    - ``rendered``: the pages as a browser showed them.
    - ``content``: the items of the CMS.
    - ``agentic``: Lighthouse's findings, newest first.
    """

    search: Mapping[str, Figures] | None = None
    speed: Mapping[str, PageSpeed] | None = None
    rendered: Mapping[str, Told] | None = None
    content: Mapping[str, ContentItem] | None = None
    agentic: Mapping[str, AgenticResult] | None = None

    @property
    def names(self) -> frozenset[str]:
        """The names of the inputs that have data."""
        return frozenset(name for name, value in self._asdict().items() if value is not None)

    @property
    def titles(self) -> dict[str, str] | None:
        """Return the titles in the CMS by address: an item's SEO title, or its name if it has none. Returns None
        without content."""
        if self.content is None:
            return None
        return {url: item.fields.title or item.title for url, item in self.content.items()}


NOTHING_BESIDE: Final = SiteInputs()
