"""Settings of IndexNow."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class IndexNowSettings:
    """The settings, as the unchanged text of their environment variables."""

    url: str = setting(
        "INDEXNOW_URL",
        "https://api.indexnow.org/indexnow",
        "the IndexNow address that receives changed pages of websites that have IndexNow on; empty: none",
    )


def index_now_settings() -> IndexNowSettings:
    """Return the settings of IndexNow."""
    return read(IndexNowSettings)
