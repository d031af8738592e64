"""Compares a page in a browser with the server's HTML. Finds words and links that scripts add, and changed directives
for search engines."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Self

import msgspec

from chalicelib.domain.page.directives import Directives, read
from chalicelib.domain.page.facts import PageFacts

MOST_PAGES: Final = 20  # of a sample
MOST_ADDED: Final = 20  # addresses of links that are kept
SHELL_WORDS: Final = 50  # scripts may fill a page that is sent with fewer
MOST_SHELLS: Final = 8
LEAST_SHARE: Final = 0.25  # of the rendered page's words; with fewer in the server's HTML, the page needs scripts
KEPT_SECONDS: Final = 28 * 86_400.0  # a page stays in the sample until others were rendered this much later
MOST_KEPT: Final = 2 * MOST_PAGES


class Told(msgspec.Struct, array_like=True, frozen=True):
    """A page's directives for search engines, and its amount of content.

    - ``canonical``: the absolute address, as a search engine reads it.
    - ``robots``: the directives that forbid something, in words and in order.
    """

    words: int
    links: int  # to other pages of the website
    title: str | None = None
    canonical: str | None = None
    robots: tuple[str, ...] = ()
    types: tuple[str, ...] = ()  # of structured data


class Rendered(msgspec.Struct, array_like=True, frozen=True):
    """One rendered page of the sample. ``rendered_at``: epoch seconds. ``links_added``: the first of the links that
    only scripts add."""

    url: str
    rendered_at: int
    before: Told
    after: Told
    links_added: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether scripts change the page enough to report it. Such a page is rendered again in the next audit."""
        told = self.before, self.after
        return needs_scripts(*told) or any(one[0] != one[1] for one in zip(*map(_of_search, told), strict=True))


class RenderedSample(msgspec.Struct, frozen=True):
    """The pages of a website that were rendered, and the last audit that rendered pages."""

    audit_id: str
    pages: list[Rendered]

    @property
    def newest(self) -> int | None:
        """The time of the newest rendering (epoch seconds)."""
        return max((page.rendered_at for page in self.pages), default=None)

    def told(self) -> dict[str, Told] | None:
        """Return what each page contains in the browser, by address; None if no page was rendered.

        The age of a rendering is measured from the newest one, so renderings do not expire while no browser is
        available.
        """
        return {page.url: page.after for page in self._counting(self.newest or 0)} or None

    def _counting(self, now: int) -> list[Rendered]:
        return [page for page in self.pages if now - page.rendered_at < KEPT_SECONDS]

    def renewed(self, audit_id: str, pages: Sequence[Rendered], failed: Collection[str], *, whole: bool) -> Self:
        """Return the sample after an audit. ``pages``: the pages that it rendered. ``failed``: the addresses at which
        rendering failed.

        If the audit was of the ``whole`` website, only the pages that it selected stay in the sample. A page in
        ``failed`` keeps its earlier rendering.
        """
        newest = max(page.rendered_at for page in pages)
        renewed = {page.url for page in pages}
        kept = [
            page for page in self._counting(newest) if page.url not in renewed and (not whole or page.url in failed)
        ]
        return msgspec.structs.replace(self, audit_id=audit_id, pages=[*pages, *kept][:MOST_KEPT])


def told(facts: PageFacts) -> Told:
    """Summarise a page's HTML: either the HTML that the server sent, or the final HTML in the browser."""
    canonical = next((absolute for _, absolute, _ in facts.canonicals if absolute), None)
    return Told(
        words=facts.words,
        links=len(facts.links),
        title=facts.title,
        canonical=canonical,
        robots=forbidden(read(facts.robots_meta, facts.headers.get("x-robots-tag"), facts.fetched_at)),
        types=tuple(sorted(set(facts.structured_types))),
    )


def forbidden(given: Directives) -> tuple[str, ...]:
    """Return in words what the directives forbid search engines to do."""
    named = {name: getattr(given, name) is not None for name in ("noindex", "nofollow", "nosnippet")}
    found = [name for name, there in named.items() if there]
    if given.max_snippet is not None and given.max_snippet >= 0:
        found.append(f"max-snippet:{given.max_snippet}")
    return tuple(found)


def compared(raw: PageFacts, after: PageFacts) -> Rendered:
    """Compare the page as it was sent with the page as it was rendered, under the same address."""
    before = {link.url for link in raw.links}
    added = [link.url for link in after.links if link.url not in before]
    return Rendered(raw.url, after.fetched_at, told(raw), told(after), tuple(added[:MOST_ADDED]))


def is_shell(facts: PageFacts) -> bool:
    """Whether the HTML has scripts, but contains no words, links or images before the scripts run."""
    if facts.words or facts.links or facts.external_links or not facts.scripts:
        return False
    return not facts.images and not facts.frames and facts.meta_refresh is None and facts.script_forward is None


def needs_scripts(before: Told, after: Told) -> bool:
    """Whether most of the words, or all links, are missing in the server's HTML."""
    return before.words < LEAST_SHARE * after.words or (not before.links and after.links > 0)


def _of_search(one: Told) -> tuple[object, ...]:
    return one.title, one.canonical, one.robots


class Candidate(msgspec.Struct, frozen=True):
    """A page that may be rendered. ``shape``: the same for all pages of one template."""

    url: str
    shape: str
    words: int


def candidate(facts: PageFacts) -> Candidate | None:
    """Return the candidate for these facts; None if the address is not a page, or if the page has noindex."""
    if facts.status != 200 or not facts.is_html or facts.error is not None:
        return None
    if read(facts.robots_meta, facts.headers.get("x-robots-tag"), facts.fetched_at).noindex:
        return None
    return Candidate(facts.url, facts.shape, facts.words)


def wanted(home: str, candidates: Sequence[Candidate], earlier: Sequence[Rendered]) -> list[str]:
    """Choose the addresses to render for an audit.

    If the audit read only some pages of the earlier sample, these are chosen. With other pages for the rest, the sample
    would change although the website has not.
    """
    known = {one.url for one in candidates}
    again = [page.url for page in earlier if page.url in known]
    return again if len(again) < len(earlier) else sample(home, candidates, earlier)


def sample(home: str, candidates: Sequence[Candidate], earlier: Iterable[Rendered] = ()) -> list[str]:
    """Choose at most ``MOST_PAGES`` addresses in the order below. The same website gives the same sample.

    1. The home page.
    2. Pages that scripts changed last time.
    3. Pages that may be empty without scripts.
    4. One page of each template, the most common template first.
    """
    known = {one.url: one for one in candidates}
    common: dict[str, int] = {}
    first: dict[str, str] = {}
    for one in candidates:
        common[one.shape] = common.get(one.shape, 0) + 1
        first.setdefault(one.shape, one.url)
    chosen = dict.fromkeys(url for url in (home, *(page.url for page in earlier if page.differs)) if url in known)
    chosen |= dict.fromkeys(_shells(candidates))
    have = {known[url].shape for url in chosen}
    for shape in sorted(common, key=lambda shape: -common[shape]):
        if shape not in have:
            chosen[first[shape]] = None
    return list(chosen)[:MOST_PAGES]


def _shells(candidates: Iterable[Candidate]) -> list[str]:
    """Return the addresses of shells: the first of each template, then others."""
    shells = [one for one in candidates if one.words < SHELL_WORDS]
    firsts: Mapping[str, str] = {one.shape: one.url for one in reversed(shells)}
    leading = set(firsts.values())
    ordered = [one.url for one in shells if one.url in leading] + [one.url for one in shells if one.url not in leading]
    return ordered[:MOST_SHELLS]
