"""Finding pages by a part of their address or title, in whatever spelling it is typed.

``/m%C3%BCnchen/`` and ``xn--mnchen-3ya`` are what an address is; ``münchen`` is what people type. Letter case and the
normal form of accents (NFC, NFD) make no difference either.
"""

import unicodedata
from typing import NamedTuple
from urllib.parse import unquote

_IDNA = "xn--"


class Wanted(NamedTuple):
    """What is looked for, in each spelling; none finds everything."""

    spellings: tuple[str, ...]

    def finds(self, url: str, title: str | None) -> bool:
        """Whether the address or the title has it."""
        if not self.spellings:
            return True
        # As it is written, and (where that is another text) as people read it.
        return (
            self._in(_folded(url))
            or (("%" in url or _IDNA in url) and self._in(_folded(readable_address(url))))
            or (title is not None and self._in(_folded(title)))
        )

    def _in(self, text: str) -> bool:
        return any(spelling in text for spelling in self.spellings)


def wanted(text: str | None) -> Wanted:
    """What ``q`` asks for."""
    if not text:
        return Wanted(())
    return Wanted(tuple(dict.fromkeys((_folded(text), _folded(readable_address(text))))))


def readable_address(url: str) -> str:
    """An address, or a part of one, as people read it: without percent-encoding, names of hosts in their letters."""
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
    # Case folding can undo the normal form, and the other way round: two rounds settle every character.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFKC", folded.casefold())
