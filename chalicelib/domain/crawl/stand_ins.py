"""Replaces one origin by another: requests to the website go to its preview, and answers are rewritten to the website's
addresses.

So a page has the same address, and the same id, in a preview as in the website's audits.
"""

import re
from typing import Final

from chalicelib.domain.crawl import urls

# Slashes as they are written in texts, and in JSON inside of them.
_BEFORE: Final = r"(?:https?:)?(\\?/\\?/)"
_PORTS: Final = {"http": 80, "https": 443}  # which may be written out, too
_AFTER: Final = r"(?![\w.:-]|%)"


class StandIn:
    """``site``: the website's origin; ``preview``: the one that is asked in its place. Both as ``urls.origin``."""

    def __init__(self, site: str, preview: str) -> None:
        self.site = site
        self.preview = preview
        self._scheme, _, self._host = site.partition("://")
        scheme, _, host = preview.partition("://")
        port = "" if ":" in host.rpartition("]")[2] else f"(?::{_PORTS[scheme]})?"
        written = _BEFORE + re.escape(host) + port + _AFTER
        self._text = re.compile(written, re.IGNORECASE)
        self._bytes = re.compile(written.encode(), re.IGNORECASE | re.ASCII)

    def asked(self, url: str) -> str | None:
        """The preview's address for one of the website's; None for that of another origin."""
        target = urls.serialise(url)
        if target is None or urls.origin(target) != self.site:
            return None
        return self.preview + target[len(self.site) :]

    def told(self, text: str) -> str:
        """A text of the preview, such as a header, with the website's addresses in place of the preview's."""
        return self._text.sub(lambda found: f"{self._scheme}:{found[1]}{self._host}", text)

    def told_body(self, body: bytes) -> bytes:
        """The same for the body of a page or file, in any encoding that writes addresses as ASCII does."""
        scheme, host = self._scheme.encode(), self._host.encode()
        return self._bytes.sub(lambda found: b"%s:%s%s" % (scheme, found[1], host), body)

    def named(self, text: str) -> str:
        """A sentence of ours about the website with the preview's addresses, which are those that were asked."""
        return text.replace(self.site, self.preview)
