"""The crawlers of assistants and search engines, from the project's data file.

The list is data, not code, because the companies that run crawlers rename and add some every few weeks. A crawler's
name is the product token that robots.txt uses.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

from chalicelib import typed

_FILE = Path(__file__).resolve().parent.parent / "data" / "ai-crawlers.json"


class Crawler(msgspec.Struct, frozen=True, rename="camel"):
    """One crawler. ``user_agent_contains`` is None if robots.txt uses the name, but no crawler sends requests under it
    (``kind`` token_only)."""

    bot: str
    owner: str
    purpose: str
    kind: str
    honours_robots: str
    user_agent_contains: str | None
    note: str
    source: str


class RetiredTokens(msgspec.Struct, frozen=True, rename="camel"):
    """Crawler names that the companies behind the crawlers no longer use. The service shows them if a robots.txt
    contains them, but never writes them."""

    tokens: tuple[str, ...]
    note: str


class CrawlerList(msgspec.Struct, frozen=True, rename="camel"):
    """All crawlers, in the order of the data file. ``effect_of_deny``: for each purpose, a sentence that says what
    happens if robots.txt denies its crawlers."""

    version: str
    purposes: tuple[str, ...]
    kinds: tuple[str, ...]
    effect_of_deny: Mapping[str, str]
    retired_tokens: RetiredTokens
    crawlers: tuple[Crawler, ...]


@lru_cache(maxsize=1)
def crawler_list() -> CrawlerList:
    """Load the list that is shipped with the service. The file is read once."""
    return typed.from_json(_FILE.read_bytes(), CrawlerList)


@lru_cache(maxsize=1)
def _by_name() -> Mapping[str, Crawler]:
    return {crawler.bot.casefold(): crawler for crawler in crawler_list().crawlers}


def find(bot: str) -> Crawler | None:
    """Return the crawler of this name, ignoring letter case; None if unknown."""
    return _by_name().get(bot.casefold())
