"""Settings of IndexNow."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class IndexNowSettings:
    """All values are text as given."""

    url: str = setting(
        "INDEXNOW_URL",
        "https://api.indexnow.org/indexnow",
        "where search engines are told of changed pages (IndexNow), for websites whose members want it; "
        "empty: nobody is told",
    )


def index_now_settings() -> IndexNowSettings:
    """The settings of IndexNow."""
    return read(IndexNowSettings)
