"""Finds pages by a part of their address or title, in any spelling.

An address contains ``/m%C3%BCnchen/`` or ``xn--mnchen-3ya``, but people type ``münchen``. Letter case and the normal
form of accents (NFC, NFD) make no difference either.
"""

import unicodedata
from typing import NamedTuple
from urllib.parse import unquote

_IDNA = "xn--"


class Wanted(NamedTuple):
    """The search text, in lower case and with a normal form for accents. "" matches every page.

    ``typed``: the text as typed. ``read``: its readable form, if that differs.
    """

    typed: str
    read: str

    def finds(self, url: str, title: str | None) -> bool:
        """Whether the address or the title contains the search text."""
        typed, read = self
        # This runs for every page of a website: most addresses are plain, and most search texts have one spelling.
        written = url.lower() if url.isascii() else _folded(url)
        if typed in written or (title is not None and typed in _folded(title)):
            return True
        if read is not typed and (read in written or (title is not None and read in _folded(title))):
            return True
        if "%" not in written and _IDNA not in written:
            return False
        readable = _folded(readable_address(url))
        return typed in readable or read in readable


def wanted(text: str | None) -> Wanted:
    """Prepare a search text (the value of the parameter ``q``) for comparisons that ignore letter case."""
    typed = _folded(text or "")
    read = _folded(readable_address(text or ""))
    return Wanted(typed, typed if read == typed else read)


def readable_address(url: str) -> str:
    """Return an address, or a part of one, in readable form: without percent-encoding and punycode."""
    if "%" in url:
        url = unquote(url)
    folded = url.lower()
    if _IDNA not in folded:
        return url
    before, slashes, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    labels = ".".join(map(_label, host.split(".")))
    return f"{before}{slashes}{labels}{slash}{path}"


def _label(label: str) -> str:
    name, colon, port = label.partition(":")
    if name[:4].lower() != _IDNA:
        return label
    try:
        return name[4:].encode("ascii").decode("punycode") + colon + port
    except UnicodeError:
        return label


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    # Case folding can undo the normal form, and vice versa: two rounds are enough for every character.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFKC", folded.casefold())
