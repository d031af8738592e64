"""Settings of speed tests, rendered pages and field data: the provider, its key, and the address of the engine."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, secret, setting


@dataclass(frozen=True, slots=True)
class SpeedSettings:
    """The settings, as the unchanged text of their environment variables."""

    provider: str = setting(
        "SPEED_PROVIDER", "psi", "the provider of speed tests: psi (PageSpeed Insights) or lighthouse (this service)"
    )
    pagespeed_api_key: str = secret("PAGESPEED_API_KEY", "the API key of PageSpeed Insights (secret)")
    pagespeed_url: str = setting("PAGESPEED_URL", "https://www.googleapis.com", "where PageSpeed Insights is")
    crux_api_key: str = secret("CRUX_API_KEY", "the API key of the Chrome UX Report (secret); empty: no field data")
    crux_url: str = setting(
        "CRUX_URL", "https://chromeuxreport.googleapis.com", "the address of the Chrome UX Report's API"
    )
    crux_requests: str = setting(
        "CRUX_REQUESTS_A_SECOND", "2", "the limit of requested records a second, for all websites together"
    )
    engine_function: str = setting(
        "ENGINE_FUNCTION", "", "the function (AWS Lambda) that runs Lighthouse and Chromium; empty: they run here"
    )
    node_binary: str = setting(
        "NODE_BINARY", "node", "Node.js 22 for this service's Lighthouse: a path, or a name in PATH"
    )
    lighthouse_path: str = setting("LIGHTHOUSE_PATH", "", "the folder of the npm package lighthouse")
    chrome_path: str = setting(
        "CHROME_PATH", "", "Chromium for this service's Lighthouse and for rendering; empty: no page is rendered"
    )
    chrome_features: str = setting(
        "CHROME_FEATURES", "WebMCP", "features of Chromium that are switched on, and recorded with each result"
    )
    chrome_sandbox: str = setting(
        "CHROME_SANDBOX", "on", "off: Chromium runs without its sandbox, as it must under root and in functions"
    )


def speed_settings() -> SpeedSettings:
    """Return the settings of speed tests, rendered pages and field data."""
    return read(SpeedSettings)
