"""Fetches the files at fixed addresses of a website: robots.txt, sitemaps, llms.txt."""

from collections.abc import Mapping

from chalicelib import clock
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.headers import lines_of
from chalicelib.net.fetch import Answer, Fetcher

MOST_REDIRECTS = 5
FILE_SECONDS = 20.0
FILE_BYTES = 512_001  # one byte more than crawlers read of robots.txt, to detect a file that is too large


async def get_following(
    fetcher: Fetcher,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = FILE_BYTES,
    total_seconds: float = FILE_SECONDS,
    until: float | None = None,
) -> tuple[Answer, int]:
    """Fetch a file, following at most ``MOST_REDIRECTS`` redirects. Returns the last answer and the number of
    redirects.

    ``total_seconds``: time limit of each request. ``until`` (monotonic seconds): time limit of all requests together.
    """
    hops = 0
    while True:
        seconds = total_seconds if until is None else min(total_seconds, max(until - clock.monotonic(), 0.0))
        answer = await fetcher.get(url, headers=headers, max_bytes=max_bytes, total_seconds=seconds)
        if not 300 <= answer.status < 400 or hops >= MOST_REDIRECTS:
            return answer, hops
        resolver = urls.LinkResolver(url)
        target = redirect_of(answer.headers, resolver)
        if target is None:
            return answer, hops
        url, hops = resolver.spelled.get(target, target), hops + 1


def redirect_of(headers: Mapping[str, str], resolver: urls.LinkResolver) -> str | None:
    """Return the target of a redirect; None if there is none. If there are several Location headers, the last valid one
    counts."""
    for line in reversed(lines_of(headers, "location")):
        target = resolver.resolve(line)
        if target is not None:
            return target
    return None


def through(url: str, answer: Answer) -> str:
    """Return the beginning of a sentence that says where an address redirects to; "" without a redirect.

    The caller appends the description of the answer.
    """
    return "" if answer.url == url else f"leads to {answer.url}, which "


def in_words(error: str | None, seconds: float = FILE_SECONDS, detail: str | None = None) -> str:
    """Return in words why there was no answer. ``seconds``: the request's time limit. ``detail``: the answer's
    ``error_detail``."""
    if error == "tls" and detail:
        return detail
    return {
        "timeout": f"no complete answer in {seconds:g} seconds",
        "dns": "its name cannot be resolved",
        "connect": "the connection is refused",
        "tls": "its certificate is not valid",
        "reset": "the connection breaks off",
        "refused_address": "its address is not a public one",
        "protocol": "the answer is not HTTP",
        "too_large": "the headers of the answer are too large",
    }.get(error or "", "no answer")
