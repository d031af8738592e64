"""Reads llms.txt, robots.txt and the IndexNow key of a customer's website. Each reading takes at most ten seconds.

The addresses come from customers, so every request goes through ``net``. If a website does not answer or answers with
an error, the functions return that as a result and raise no exception.
"""

import asyncio
from collections.abc import Mapping
from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain.page import charset
from chalicelib.domain.readiness.live_file import Fetched, cache_of, kind_of
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.files import FILE_BYTES, get_following, in_words
from chalicelib.net.guard import Guard
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings

SECONDS: Final = 10.0
LLMS_BYTES: Final = 400_000  # of which 60,000 characters are shown
KEY_BYTES: Final = 1_000  # a key has at most 128 characters
BUSTING_PARAMETER: Final = "fresh"
_NO_CACHE: Final = {"Cache-Control": "no-cache", "Pragma": "no-cache"}
_ACCEPT_TEXT: Final = {"Accept": "text/plain, text/markdown, */*;q=0.8"}


class LiveRobots(NamedTuple):
    """The answer of /robots.txt. ``status``: 0 if there was no answer. ``error``: why there was no complete answer, in
    words."""

    status: int
    body: bytes
    content_type: str | None
    error: str | None


class LiveLlms(NamedTuple):
    """The two answers of /llms.txt: one that bypasses every cache, and one as a visitor gets it."""

    fresh: Fetched
    plain: Fetched


def read_robots(url: str) -> LiveRobots:
    """Read the robots.txt at this address, as crawlers get it. Caches are asked to check that their copy is current."""
    return asyncio.run(robots_at(url))


def read_llms(url: str, nonce: str) -> LiveLlms:
    """Read the llms.txt at this address. ``nonce``: a text that is new for each reading. It is added to the requested
    URL, so that no cache has an answer for this URL."""
    return asyncio.run(llms_at(url, nonce))


async def robots_at(url: str, *, plain: bool = False) -> LiveRobots:
    """Read the robots.txt at this address like ``read_robots``, but for callers with an event loop. ``plain``: do not
    ask caches to check that their copy is current."""
    until = clock.monotonic() + SECONDS
    async with _fetcher() as fetcher:
        answer = await _get(fetcher, url, until, FILE_BYTES, None if plain else _NO_CACHE)
    error = None if answer.error is None else in_words(answer.error, SECONDS, answer.error_detail)
    return LiveRobots(answer.status, answer.body, answer.content_type, error)


async def llms_at(url: str, nonce: str) -> LiveLlms:
    """Read the llms.txt at this address like ``read_llms``, but for callers with an event loop."""
    until = clock.monotonic() + SECONDS
    async with _fetcher() as fetcher:
        fresh, plain = await asyncio.gather(
            _past_caches(fetcher, url, nonce, until), _get(fetcher, url, until, LLMS_BYTES)
        )
    return LiveLlms(fresh, _fetched(plain))


async def _past_caches(fetcher: Fetcher, url: str, nonce: str, until: float) -> Fetched:
    """Read the current file with a URL parameter that no cache knows. If no text is returned, the website may reject
    the parameter. Then the file is requested without it, and accepted unless a cache marks the answer as its own."""
    first = _fetched(await _get(fetcher, f"{url}?{BUSTING_PARAMETER}={nonce}", until, LLMS_BYTES, _NO_CACHE))
    if kind_of(first) in ("text", "empty"):
        return first
    second = _fetched(await _get(fetcher, url, until, LLMS_BYTES, _NO_CACHE))
    return first if first.status and (second.cache is not None or kind_of(second) == "unreachable") else second


async def _get(
    fetcher: Fetcher, url: str, until: float, max_bytes: int, headers: Mapping[str, str] | None = None
) -> Answer:
    asked = {**_ACCEPT_TEXT, **(headers or {})}
    answer, _ = await get_following(
        fetcher, url, headers=asked, max_bytes=max_bytes, total_seconds=SECONDS, until=until
    )
    return answer


async def key_at(url: str, key: str) -> str | None:
    """Read this address, and return why its text is not the key for search engines (IndexNow), in words. Returns None
    if it is the key. Redirects are not followed, since the key is valid only for the host that serves it."""
    async with _fetcher() as fetcher:
        answer = await fetcher.get(url, headers=_ACCEPT_TEXT | _NO_CACHE, max_bytes=KEY_BYTES, total_seconds=SECONDS)
    if answer.error is not None:
        return in_words(answer.error, SECONDS, answer.error_detail)
    if answer.status != 200:
        return f"it answers {answer.status}"
    return None if answer.body.strip() == key.encode() else "another text is there"


def _fetcher() -> Fetcher:
    network = network_settings()
    guard = Guard(network.allow_addresses, network.extra_hosts)
    return Fetcher(guard, user_agent=crawl_settings().user_agent, extra_ca_file=network.extra_ca_file)


def _fetched(answer: Answer) -> Fetched:
    body = answer.body
    if answer.truncated:  # the body may be cut within a character
        body = body[: body.rfind(b"\n") + 1] or body
    return Fetched(
        status=answer.status,
        content_type=answer.content_type,
        text=charset.decode(body, answer.headers.get("content-type"))[0] if answer.status == 200 else "",
        bytes=len(answer.body),
        truncated=answer.truncated,
        error=None if answer.error is None else in_words(answer.error, SECONDS, answer.error_detail),
        cache=cache_of(answer.headers),
    )
