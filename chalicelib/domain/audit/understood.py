"""Determines how much of a website an audit understood, and words the notice to show if it understood little."""

from typing import Final, NamedTuple

FEWEST_READABLE: Final = 5  # pages; fewer are too few to judge a website with at least 5 unread addresses
SHELL_SHARE: Final = 0.5
TURNED_AWAY_SHARE: Final = 1 / 3


class Understood(NamedTuple):
    """How much of a website an audit could read.

    - ``readable``: HTML pages that answered 200.
    - ``shells``: how many of these pages have no words or links before scripts run, and were not rendered.
    - ``unread``: how many other known addresses may be pages.
    - ``refused``: how many of the ``asked`` addresses rejected the crawler.
    - ``partial``: whether the audit ended before it had read everything.
    """

    readable: int = 0
    shells: int = 0
    unread: int = 0
    refused: int = 0
    asked: int = 0
    partial: bool = False

    @property
    def refused_share(self) -> float:
        return self.refused / self.asked if self.asked else 0.0

    @property
    def mostly_shells(self) -> bool:
        return self.shells > SHELL_SHARE * self.readable

    @property
    def few(self) -> bool:
        """Whether the audit could read hardly any page, although the website has more pages."""
        return self.readable == 0 or (self.readable < FEWEST_READABLE <= self.unread)

    @property
    def little(self) -> bool:
        """Whether the audit understood so little that its findings and score say little about the website."""
        return self.few or self.mostly_shells or self.refused_share > TURNED_AWAY_SHARE

    def told(self, user_agent: str) -> str | None:
        """Return in words why the audit understood little, and what to do about it; None if it understood enough.

        ``user_agent``: the crawler's user agent.
        """
        if self.refused_share > TURNED_AWAY_SHARE:
            return (
                f"Little of this website could be judged: {self.refused:,} of {self.asked:,} addresses turned the "
                f'crawler away. Allow the user agent "{user_agent}" in the firewall or CDN, then start an audit.'
            )
        if self.mostly_shells:
            return (
                f"Little of this website could be judged: {self.shells:,} of {self.readable:,} pages have neither "
                "words nor links until scripts run. Send the content with the HTML: most assistants run no scripts."
            )
        if not self.few:
            return None
        if not self.readable:
            return (
                "Little of this website could be judged: no address answered with an HTML page. Look at what the home "
                "page answers, then start an audit."
            )
        pages = "page" if self.readable == 1 else "pages"
        advice = "Start an audit of more pages." if self.partial else "Look at what they answer, then start an audit."
        return (
            f"Little of this website could be judged: {self.readable:,} {pages} could be read, {self.unread:,} more "
            f"are known. {advice}"
        )
