"""Settings of Google Analytics, the source of conversions and revenue of websites."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class AnalyticsSettings:
    """The settings, as the unchanged text of their environment variables."""

    url: str = setting(
        "ANALYTICS_DATA_URL", "https://analyticsdata.googleapis.com/v1beta", "the address of the Data API of Analytics"
    )
    admin_url: str = setting(
        "ANALYTICS_ADMIN_URL",
        "https://analyticsadmin.googleapis.com/v1beta",
        "the address of the Admin API of Analytics, which lists properties",
    )


def analytics_settings() -> AnalyticsSettings:
    """Return the settings of Analytics."""
    return read(AnalyticsSettings)
