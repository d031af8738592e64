"""Reads a website's llms.txt and robots.txt live, and adds what the service has stored about them."""

from functools import partial
from typing import NamedTuple

from chalicelib.domain.changes.batch import FileField
from chalicelib.domain.connector.messages import File
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl.urls import origin
from chalicelib.domain.readiness import access
from chalicelib.domain.readiness.live_file import Live, live_of
from chalicelib.domain.readiness.llms import is_page
from chalicelib.domain.readiness.records import CrawlerAccess, Draft, RobotsState
from chalicelib.domain.readiness.robots_notes import note_of
from chalicelib.domain.readiness.written import LlmsWrite, RulesWrite
from chalicelib.operations import live_reads
from chalicelib.randomness import random_bytes
from chalicelib.store import readiness
from chalicelib.store.websites import Website

_NONCE_BYTES = 6


class LlmsTxt(NamedTuple):
    """The live llms.txt. ``draft``: None if no audit was published. ``write``: the last approved change; None if there
    is none.
    """

    url: str
    live: Live
    fetched_at: float
    draft: Draft | None
    write: LlmsWrite | None


class AiCrawlers(NamedTuple):
    """The live robots.txt, and its rules for each crawler.

    - ``write``: the last approved change; None if there is none.
    - ``file``: the file's bytes; empty if the file does not exist. None if it could not be read, or if a web page was
      returned.
    """

    robots: RobotsState
    crawlers: tuple[CrawlerAccess, ...]
    note: str | None
    write: RulesWrite | None
    file: bytes | None


def llms_txt(website: Website, now: float) -> LlmsTxt:
    """Read /llms.txt twice: once bypassing every cache, and once as visitors get it. Takes ten seconds at most. While
    another request reads the file, the last result is returned; without one, ``Refused`` (``busy``) is raised (see
    ``live_reads``). Three round trips."""
    # Imported here, since no other answer needs the web client, which is slow to load.
    from chalicelib.connectors import live_files

    url = address(website, "llms_txt")
    stored = readiness.load_llms(website.id)
    nonce = random_bytes(_NONCE_BYTES).hex()
    read = partial(live_files.read_llms, url, nonce)
    (fresh, plain), now = live_reads.once(website, "llms_txt", live_files.LiveLlms, read, now)
    draft = None if stored.readiness is None else stored.readiness.draft
    return LlmsTxt(url, live_of(fresh, plain, stored.write, now), now, draft, stored.write)


def ai_crawlers(website: Website, now: float) -> AiCrawlers:
    """Read /robots.txt as crawlers get it. Takes ten seconds at most. While another request reads the file, the last
    result is returned; without one, ``Refused`` (``busy``) is raised (see ``live_reads``). Three round trips."""
    from chalicelib.connectors import live_files

    home, url = home_of(website), address(website, "ai_crawlers")
    write = readiness.load_last(website.id, "ai_crawlers")
    read = partial(live_files.read_robots, url)
    answer, now = live_reads.once(website, "ai_crawlers", live_files.LiveRobots, read, now)
    text = answer.body if answer.status == 200 else b""
    robots = robots_txt.parse(text)
    said = answer.error is None and access.readable(answer.status)
    crawlers = access.accesses(robots if said else None, home)
    cms = website.connections.cms
    shown = text.decode("utf-8", "replace")
    web_page = said and answer.status == 200 and is_page(shown, answer.content_type)
    note = note_of(
        shown,
        robots,
        crawlers,
        is_page=web_page,
        robots_file=None if cms is None else cms.status.robots_file,
    )
    state = RobotsState(url=url, status=answer.status or None, fetched_at=now)
    return AiCrawlers(state, crawlers, note, write, text if said and not web_page else None)


def can_publish(website: Website, file: File) -> bool:
    """Whether the website's CMS can write the file now. A shop cannot write files."""
    cms = website.connections.cms
    return cms is not None and cms.writable and file in cms.status.files


def address(website: Website, field: FileField) -> str:
    """Return the address of the file."""
    return origin(home_of(website)) + ("/llms.txt" if field == "llms_txt" else "/robots.txt")


def home_of(website: Website) -> str:
    """Return the address at which the last audit found the home page. Before the first audit: the website's own
    address."""
    summary = website.summary
    return (summary.home_url if summary is not None else None) or website.url
