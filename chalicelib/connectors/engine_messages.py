"""The messages to and from the function that runs Lighthouse and Chromium: JSON of at most 6 MB either way.

The function (``infra/engine``) is deployed separately, so it may be older or newer than this code. For that reason it
sends reports as Lighthouse makes them, and unknown members are ignored.
"""

import base64
import binascii
import zlib
from typing import Any, Final

import msgspec

from chalicelib.connectors.page_source import MOST_CHARACTERS, Source
from chalicelib.domain.agentic import Strategy

MOST_ANSWER: Final = 5_500_000  # characters of the function's answer; Lambda's own limit is 6 MB
_MOST_HTML: Final = 4 * MOST_CHARACTERS  # limit on a page


class TestAsked(msgspec.Struct, tag_field="kind", tag="lighthouse"):
    """A request for one speed test."""

    url: str
    strategy: Strategy


class PagesAsked(msgspec.Struct, tag_field="kind", tag="render", rename="camel"):
    """A request to render pages of one website in one browser. As many pages are rendered as the time limit allows."""

    urls: list[str]
    seconds: float
    user_agent: str


Asked = TestAsked | PagesAsked


class Failed(msgspec.Struct):
    """A failure. ``code``: the code of the ``OutsideError``."""

    code: str
    message: str


class TestAnswer(msgspec.Struct):
    """The parts of Lighthouse's report that the service uses. ``flags``: the features of the browser that were switched
    on."""

    report: dict[str, Any] | None = None
    flags: tuple[str, ...] = ()
    failed: Failed | None = None


class PageSent(msgspec.Struct, rename="camel"):
    """A page as rendered by the browser. ``html``: compressed (deflate), in base64."""

    url: str
    final_url: str
    status: int
    html: str
    quiet: bool

    @classmethod
    def of(cls, page: Source) -> "PageSent":
        packed = base64.b64encode(zlib.compress(page.html.encode("utf-8", "replace"))).decode("ascii")
        return cls(page.url, page.final_url, page.status, packed, page.quiet)

    def source(self) -> Source:
        """Decode the page. Raises ``ValueError`` if the message is invalid."""
        inflate = zlib.decompressobj()
        try:
            html = inflate.decompress(base64.b64decode(self.html, validate=True), _MOST_HTML)
        except (binascii.Error, zlib.error):
            raise ValueError("not a packed page") from None
        if inflate.unconsumed_tail:
            raise ValueError("the page is too long")
        return Source(self.url, self.final_url, self.status, html.decode("utf-8", "replace"), self.quiet)


class PagesAnswer(msgspec.Struct):
    """The pages that were rendered. ``left``: the addresses of the other pages, which were not tried or did not fit
    into the answer."""

    pages: list[PageSent] = []
    left: list[str] = []
    failed: Failed | None = None
