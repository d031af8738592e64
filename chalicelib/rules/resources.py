"""Answers of a page's scripts and style sheets, if they were requested.

Style sheets that other style sheets import are included.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from chalicelib.domain.page.facts import REFUSED, PageFacts, ResourceKind, TargetFacts
from chalicelib.domain.page.resource_types import is_refused
from chalicelib.rules.context import MAX_HOPS, Page, Site
from chalicelib.settings.crawl import crawl_settings

MOST_FILES: Final = 100  # files of one page, including imported style sheets

Fault = Literal["missing", "refused"]


class Loaded(NamedTuple):
    """A file that browsers load for a page.

    - ``by``: the style sheet that imports the file; None if the page itself names it.
    - ``answer``: the answer at the end of redirects; None if the file was not requested.
    """

    url: str
    kind: ResourceKind
    by: str | None
    answer: TargetFacts | None

    @property
    def fault(self) -> Fault | None:
        """The confirmed fault of the file. None if the file has no fault."""
        answer = self.answer
        if answer is None or not answer.stands:
            return None
        if answer.status >= 400 and answer.status not in REFUSED:
            return "missing"
        if answer.status == 200 and is_refused(self.kind, answer.content_type, nosniff=answer.nosniff):
            return "refused"
        return None

    @property
    def unknown(self) -> bool:
        """Whether the file cannot be judged.

        A file cannot be judged if it was not requested, if its server rejected the crawler or did not answer, or if the
        file may have been replaced since the page was read.
        """
        answer = self.answer
        if answer is None:
            return self.by is None
        return answer.status == 0 or answer.status in REFUSED or (answer.status >= 400 and not answer.stands)


def loaded_by(page: Page, site: Site) -> list[Loaded]:
    """Return the files of a page that the crawler may request. Files that robots.txt disallows are left out."""
    return list(_loaded(page.facts, site))


def _loaded(facts: PageFacts, site: Site) -> Iterator[Loaded]:
    closed = site.once(_closed_to_us)
    waiting: list[tuple[str, ResourceKind, str | None]] = [(one.url, one.kind, None) for one in facts.resources]
    seen = {url for url, _, _ in waiting}
    for url, kind, by in waiting:  # the loop appends to this list
        if closed.is_closed(url):
            continue
        answer = _last(url, site)
        yield Loaded(url, kind, by, answer)
        for imported in answer.imports if answer is not None else ():
            if imported not in seen and len(waiting) < MOST_FILES:
                seen.add(imported)
                waiting.append((imported, "style", url))


def _last(url: str, site: Site) -> TargetFacts | None:
    """Return the last answer of an address's redirects, as far as they were requested."""
    answer = site.resources.get(url)
    for _ in range(MAX_HOPS):
        following = site.resources.get(answer.redirect_to or "") if answer is not None else None
        if following is None:
            break
        answer = following
    return answer


class Closed:
    """Decides which files robots.txt disallows for a crawler, and looks up each file only once."""

    def __init__(self, site: Site, token: str) -> None:
        self._robots = site.robots
        self._token = token
        self._known: dict[str, bool] = {}

    def is_closed(self, url: str) -> bool:
        if url not in self._known:
            self._known[url] = not self._robots.verdict(self._token, url).allowed
        return self._known[url]


def _closed_to_us(site: Site) -> Closed:
    return Closed(site, crawl_settings().token)
