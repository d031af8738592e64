"""Requests addresses of a customer's website, to check redirects. Each result has the answer's status, its redirect
target, and whether the answer is a page.

The addresses come from customers, so every request goes through ``net``. If a website does not answer or answers with
an error, the functions return that as a result and raise no exception.
"""

import asyncio
from collections.abc import Iterable
from typing import Final

from chalicelib import clock
from chalicelib.domain.changes.redirecting import Answered
from chalicelib.domain.crawl.urls import LinkResolver
from chalicelib.domain.page import charset, directives
from chalicelib.domain.page.facts import PageFacts
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.files import in_words, redirect_of
from chalicelib.net.guard import Guard
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings

SECONDS: Final = 8.0  # time limit of one answer
ALL_SECONDS: Final = 20.0  # time limit of all answers together
AT_ONCE: Final = 4
PAGE_BYTES: Final = 500_000  # how much of a page is read; its head is at the beginning
MOST_TAGS: Final = 20_000  # a page with more tags would take the parser too long
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_NO_CACHE: Final = {"Cache-Control": "no-cache", "Pragma": "no-cache"}


def ask(urls: Iterable[str]) -> dict[str, Answered]:
    """Request these addresses, four at a time, and return the answer of each. Redirects are not followed. Addresses
    that are not answered within twenty seconds in all get status 0."""
    return asyncio.run(asked(urls))


async def asked(urls: Iterable[str]) -> dict[str, Answered]:
    """Request these addresses like ``ask``, but for callers with an event loop."""
    until = clock.monotonic() + ALL_SECONDS
    places = asyncio.Semaphore(AT_ONCE)
    network = network_settings()
    guard = Guard(network.allow_addresses, network.extra_hosts)
    async with Fetcher(guard, user_agent=crawl_settings().user_agent, extra_ca_file=network.extra_ca_file) as fetcher:

        async def one(url: str) -> Answered:
            async with places:
                seconds = min(SECONDS, until - clock.monotonic())
                if seconds <= 0:
                    return Answered(status=0, error="there was no time left to request it")
                return _answered(
                    url,
                    await fetcher.get(
                        url,
                        headers=_NO_CACHE,
                        max_bytes=PAGE_BYTES,
                        total_seconds=seconds,
                        read_body=_HTML.__contains__,
                    ),
                )

        wanted = list(dict.fromkeys(urls))
        return dict(zip(wanted, await asyncio.gather(*map(one, wanted)), strict=True))


def _answered(url: str, answer: Answer) -> Answered:
    if answer.error is not None:
        return Answered(status=0, error=in_words(answer.error, SECONDS, answer.error_detail))
    if 300 <= answer.status < 400:
        resolver = LinkResolver(url)
        return Answered(status=answer.status, leads_to=redirect_of(answer.headers, resolver))
    if answer.status != 200 or answer.content_type not in _HTML:
        return Answered(status=answer.status)
    # Parsing pages is slow to import, so only an answer that is a page loads it.
    from chalicelib.domain.page.head import read_head
    from chalicelib.domain.page.markup_bombs import tags_in

    if tags_in(answer.body) > MOST_TAGS:
        return Answered(status=answer.status)
    facts = PageFacts(url=url, content_type=answer.content_type)
    html = charset.decode(answer.body, answer.headers.get("content-type"))[0]
    read_head(facts, html, headers=answer.headers, resolver=LinkResolver(url))
    named = next((absolute for _, absolute, _ in facts.canonicals if absolute), None)
    said = directives.read(facts.robots_meta, answer.headers.get("x-robots-tag"), clock.now())
    return Answered(
        status=200,
        page=True,
        noindex=said.noindex is not None,
        canonical=None if named == url else named,
    )
