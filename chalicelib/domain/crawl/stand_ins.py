"""Replaces one origin with another, for previews. A request to the website goes to its preview, and in the answer the
preview's addresses are replaced with the website's.

So a page has the same address and the same id in a preview and in the website's audits.
"""

import re
from typing import Final

from chalicelib.domain.crawl import urls

# Slashes as texts write them, also escaped as in JSON.
_BEFORE: Final = r"(?:https?:)?(\\?/\\?/)"
_PORTS: Final = {"http": 80, "https": 443}  # which may be written out, too
_AFTER: Final = r"(?![\w.:-]|%)"


class StandIn:
    """Translates addresses between two origins (both as ``urls.origin`` returns them).

    ``site``: the website's origin. ``preview``: the origin that is requested instead.
    """

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
        """Return the address to request at the preview for an address of the website; None if the address belongs to
        another origin."""
        target = urls.serialise(url)
        if target is None or urls.origin(target) != self.site:
            return None
        return self.preview + target[len(self.site) :]

    def told(self, text: str) -> str:
        """Replace the preview's addresses in a text of the preview, such as a header, with the website's."""
        return self._text.sub(lambda found: f"{self._scheme}:{found[1]}{self._host}", text)

    def told_body(self, body: bytes) -> bytes:
        """Rewrite the body of a page or file in the same way as ``told``. The body's encoding must be one in which
        addresses have the same bytes as in ASCII."""
        scheme, host = self._scheme.encode(), self._host.encode()
        return self._bytes.sub(lambda found: b"%s:%s%s" % (scheme, found[1], host), body)

    def named(self, text: str) -> str:
        """Replace the website's addresses in one of the service's messages with the preview's, which were really
        requested."""
        return text.replace(self.site, self.preview)
