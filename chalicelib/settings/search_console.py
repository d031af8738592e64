"""Settings of Search Console, the source of websites' search data."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class SearchConsoleSettings:
    """The settings, as the unchanged text of their environment variables."""

    url: str = setting(
        "SEARCH_CONSOLE_URL", "https://www.googleapis.com/webmasters/v3", "where Search Console's API is"
    )


def search_console_settings() -> SearchConsoleSettings:
    """Return the settings of Search Console."""
    return read(SearchConsoleSettings)
