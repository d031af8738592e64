"""Reads a website's sitemaps, concurrently and in bounded time."""

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import sitemap, urls
from chalicelib.domain.page.facts import SiteFacts, SitemapFile
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.files import get_following, in_words, through
from chalicelib.workers.audit.reading import Politeness
from chalicelib.workers.audit.window import OrderedWindow

MOST_FILES = 200
MOST_URLS = 50_000
MOST_LANGUAGES = 200_000  # language versions that sitemaps name, for all pages together
MOST_LANGUAGES_OF_ONE = 500
FILE_BYTES = 50_000_000
FILE_SECONDS = 30.0
# For all files together: a website with slow sitemaps is audited anyway, without the rules about its sitemap.
ALL_SECONDS = 120.0
AT_ONCE = 4  # each may take 50 MB while it is read
GUESSED = ("/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml")


class _File(NamedTuple):
    url: str
    found_by: str  # robots, guess or index


async def read_sitemaps(
    fetcher: Fetcher, site: SiteFacts, robots: robots_txt.Robots, politeness: Politeness
) -> dict[str, str]:
    """Read the sitemaps, and store them and their entries in ``site``.

    These are the sitemaps that robots.txt names or, if it names none, those at the usual addresses. Returns the
    addresses that sitemaps do not write in normal form: normal form -> as written.

    Files are requested concurrently and processed in order. Sitemaps that an index names come after all other files.
    Files that are not read within ``ALL_SECONDS`` are left out, and ``sitemap_late`` is set.
    """
    reader = _Reader(site)
    named = (urls.LinkResolver(site.home_url).written(line) for line in robots.sitemaps)
    reader.add("robots", [url for url in named if url])
    if not reader.waiting:
        reader.add("guess", [urls.origin(site.home_url) + path for path in GUESSED])
    until = clock.monotonic() + ALL_SECONDS
    with OrderedWindow[tuple[_File, Answer]]() as window:
        while clock.monotonic() < until:
            while reader.waiting and len(window) < min(AT_ONCE, politeness.places) and reader.may_ask(len(window)):
                window.ask(_ask(fetcher, politeness, reader.waiting.popleft()))
            if not window:
                site.sitemap_truncated = site.sitemap_truncated or bool(reader.waiting)
                return reader.spelled
            if not await window.arrives(lambda: clock.monotonic() < until):
                break
            answered = window.take()
            assert answered is not None
            reader.take_up(*answered)
    site.sitemap_truncated = site.sitemap_late = True
    return reader.spelled


async def _ask(fetcher: Fetcher, politeness: Politeness, file: _File) -> tuple[_File, Answer]:
    async with politeness:
        answer, _ = await get_following(fetcher, file.url, max_bytes=FILE_BYTES, total_seconds=FILE_SECONDS)
    return file, answer


class _Reader:
    """The files that are still to be requested, and the entries of those that were read."""

    def __init__(self, site: SiteFacts) -> None:
        self.site = site
        self.waiting: deque[_File] = deque()
        self._asked: set[str] = set()
        self._listed: set[str] = set()
        self.spelled: dict[str, str] = {}
        self._languages: dict[str, list[tuple[str, str]]] = {}
        self._versions = 0

    def add(self, found_by: str, addresses: list[str]) -> None:
        """Queue files to be requested. ``addresses``: the addresses as their source writes them."""
        for url in addresses:
            key = urls.normalise(url)
            if key is not None and key not in self._asked:
                self._asked.add(key)
                self.waiting.append(_File(url, found_by))

    def may_ask(self, under_way: int) -> bool:
        """Whether one more file may be requested. ``under_way``: how many requests are running.

        Guessed addresses are requested one by one. Once a sitemap is found at one of them, the others are not
        requested.
        """
        if self.waiting[0].found_by == "guess":
            return under_way == 0
        return len(self.site.sitemaps) + under_way < MOST_FILES

    def take_up(self, file: _File, answer: Answer) -> None:
        """Store a file's answer and the entries in it."""
        noted = SitemapFile(url=file.url, found_by=file.found_by, status=answer.status, bytes=len(answer.body))
        guessed = file.found_by == "guess"
        if answer.status != 200:
            if not guessed:  # nobody claims that a guessed file exists
                why = (
                    f"answers {answer.status}"
                    if answer.status
                    else f"does not answer ({in_words(answer.error, detail=answer.error_detail)})"
                )
                noted.error = through(file.url, answer) + why
                self.site.sitemaps.append(noted)
            return
        parsed = sitemap.parse(answer.body, file.url, answer.content_type)
        if guessed and parsed.kind is None:
            return
        noted.kind, noted.error = parsed.kind, parsed.error
        noted.entries = len(parsed.entries) or len(parsed.children)
        self.site.sitemaps.append(noted)
        if guessed:
            self.waiting.clear()
        self.add("index", [parsed.spelled.get(child, child) for child in parsed.children])
        self._list(parsed.entries, parsed.spelled)
        self._note_languages(parsed.alternates)

    def _list(self, entries: list[tuple[str, str | None]], spelled: Mapping[str, str]) -> None:
        site = self.site
        for loc, lastmod in entries:
            url = urls.normalise(loc)
            if url is None or url in self._listed:
                continue
            if not urls.same_site(url, site.host):
                site.sitemap_foreign += 1
                continue
            if len(site.sitemap_urls) >= MOST_URLS:
                site.sitemap_truncated = True
                return
            self._listed.add(url)
            site.sitemap_urls.append((url, lastmod))
            if url in spelled:
                self.spelled[url] = spelled[url]

    def _note_languages(self, alternates: list[tuple[str, str, str]]) -> None:
        for url, language, target in alternates:
            if self._versions >= MOST_LANGUAGES:
                return
            if not urls.same_site(url, self.site.host):
                continue
            versions = self._languages.get(url)
            if versions is None:
                versions = self._languages[url] = []
                self.site.sitemap_languages.append((url, versions))
            if (language, target) not in versions and len(versions) < MOST_LANGUAGES_OF_ONE:
                versions.append((language, target))
                self._versions += 1
