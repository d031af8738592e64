"""A page as a browser has it after its scripts have run."""

from typing import Final, NamedTuple

MOST_CHARACTERS: Final = 8_000_000  # of a page's HTML


class Source(NamedTuple):
    """A page as the browser had it. ``final_url``: where it ended, scripts' redirects too; ``quiet`` False: it still
    changed when it was taken."""

    url: str
    final_url: str
    status: int
    html: str
    quiet: bool
