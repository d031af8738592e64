"""The type ``Source``: a page's HTML after a browser has run its scripts."""

from typing import Final, NamedTuple

MOST_CHARACTERS: Final = 8_000_000  # limit on a page's HTML


class Source(NamedTuple):
    """A page as the browser shows it. ``final_url``: its address after redirects, including those by scripts.
    ``quiet``: False if the page was still changing when it was read."""

    url: str
    final_url: str
    status: int
    html: str
    quiet: bool
