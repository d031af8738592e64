"""Fetches a preview in place of its website. URLs of the website are requested from the preview's origin, and the
answers are rewritten as if the website had given them.

Credentials (a password, a header of the host) are sent only to the preview's origin. Redirects are not followed here;
following one is a new request.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal
from urllib.parse import urlsplit

from chalicelib.domain.crawl.stand_ins import StandIn
from chalicelib.net.fetch import DEFAULT_MAX_BYTES, DEFAULT_TOTAL_SECONDS, Answer, Fetcher
from chalicelib.net.guard import Guard

_TEXTS: Final = ("text/", "application/xml", "application/xhtml+xml", "application/rss+xml", "application/atom+xml")
_ROBOTS: Final = "x-robots-tag"


class PreviewFetcher(Fetcher):
    """A fetcher that requests the preview instead of the website.

    - ``access``: returns the headers with the preview's credentials. It is called at each request, so that no attribute
      holds them.
    - ``ignores_robots``: whether to remove the preview's own robots directives from answers, as if everything could be
      crawled and indexed.
    """

    def __init__(
        self,
        guard: Guard,
        place: StandIn,
        *,
        access: Callable[[], Mapping[str, str]],
        ignores_robots: bool,
        user_agent: str,
        extra_ca_file: str = "",
    ) -> None:
        super().__init__(guard, user_agent=user_agent, extra_ca_file=extra_ca_file)
        self._place = place
        self._access = access
        self._ignores_robots = ignores_robots

    async def get(
        self,
        url: str,
        *,
        method: Literal["GET", "HEAD"] = "GET",
        headers: Mapping[str, str] | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        total_seconds: float = DEFAULT_TOTAL_SECONDS,
        read_body: Callable[[str], bool] | None = None,
    ) -> Answer:
        """Make one request as ``Fetcher.get`` does. URLs of the website are requested from the preview; other URLs are
        not changed."""
        asked = self._place.asked(url)
        sent = headers if asked is None else {**(headers or {}), **self._access()}
        answer = await super().get(
            url if asked is None else asked,
            method=method,
            headers=sent,
            max_bytes=max_bytes,
            total_seconds=total_seconds,
            read_body=read_body,
        )
        if asked is not None:
            self._tell(answer, url)
        return answer

    def _tell(self, answer: Answer, url: str) -> None:
        """Rewrite an answer of the preview to the website's answer to ``url``."""
        answer.url = url
        told = {name: self._place.told(value) for name, value in answer.headers.items()}
        if self._ignores_robots:
            told.pop(_ROBOTS, None)
        answer.headers = told
        if (answer.content_type or "text/").startswith(_TEXTS):
            answer.body = self._place.told_body(answer.body)
        if self._ignores_robots and url == f"{self._place.site}/robots.txt" and answer.status:
            _let_all_in(answer)

    async def certificate(self, host: str, port: int = 443) -> tuple[int | None, str | None]:
        """Return the expiry of a certificate, like ``Fetcher.certificate``.

        For the website's host, the preview's certificate is read instead. Returns ``(None, None)`` if the preview has
        no certificate.
        """
        site = urlsplit(self._place.site)
        if (site.hostname, site.port or 443) != (host.strip("[]"), port):
            return await super().certificate(host, port)
        preview = urlsplit(self._place.preview)
        if preview.scheme != "https" or preview.hostname is None:
            return None, None
        name = f"[{preview.hostname}]" if ":" in preview.hostname else preview.hostname
        return await super().certificate(name, preview.port or 443)


def _let_all_in(answer: Answer) -> None:
    """Replace a robots.txt by one that allows everything; its Sitemap lines are kept."""
    lines = answer.body.splitlines() if answer.status == 200 else []
    sitemaps = [line for line in lines if line.strip().lower().startswith(b"sitemap:")]
    answer.status, answer.error, answer.error_detail = 200, None, None
    answer.body = b"\n".join([b"User-agent: *", b"Disallow:", *sitemaps, b""])
    answer.headers = {**answer.headers, "content-type": "text/plain"}
