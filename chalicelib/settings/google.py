"""Settings of Google accounts. The account itself comes with each website's connection."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class GoogleSettings:
    """All values are text as given."""

    token_url: str = setting(
        "GOOGLE_TOKEN_URL", "https://oauth2.googleapis.com/token", "where Google accounts get their access tokens"
    )


def google_settings() -> GoogleSettings:
    """The settings of Google accounts."""
    return read(GoogleSettings)
