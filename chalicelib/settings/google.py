"""Settings for access to Google accounts. The account itself is stored with each website's connection."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, secret, setting


@dataclass(frozen=True, slots=True)
class GoogleSettings:
    """The settings, as the unchanged text of their environment variables."""

    token_url: str = setting(
        "GOOGLE_TOKEN_URL",
        "https://oauth2.googleapis.com/token",
        "the address that gives access tokens for Google accounts",
    )
    auth_url: str = setting(
        "GOOGLE_AUTH_URL",
        "https://accounts.google.com/o/oauth2/v2/auth",
        "the address where people grant access with Google",
    )
    client_id: str = setting(
        "GOOGLE_CLIENT_ID",
        "",
        "the OAuth client; empty: Google can be connected only with key files",
    )
    client_secret: str = secret("GOOGLE_CLIENT_SECRET", "the secret of the OAuth client (secret)")


def google_settings() -> GoogleSettings:
    """Return the settings of Google accounts."""
    return read(GoogleSettings)
