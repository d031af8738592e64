"""Settings of IndexNow."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class IndexNowSettings:
    """All values are text as given."""

    url: str = setting(
        "INDEXNOW_URL",
        "https://api.indexnow.org/indexnow",
        "the IndexNow address that receives changed pages of websites that have IndexNow on; empty: none",
    )


def index_now_settings() -> IndexNowSettings:
    """The settings of IndexNow."""
    return read(IndexNowSettings)
