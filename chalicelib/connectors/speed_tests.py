"""The interface of speed tests: tests of single pages with Lighthouse, by any provider."""

from typing import Protocol

from chalicelib.connectors.errors import NotConnected
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.speed.report import SpeedReport
from chalicelib.settings.speed import speed_settings


class SpeedTester(Protocol):
    """Tests pages with Lighthouse: performance and the category "Agentic browsing" in one run."""

    @property
    def provider(self) -> str:
        """The provider's short name."""

    def run(self, url: str, strategy: Strategy) -> SpeedReport:
        """Test one page. It takes 20 to 60 seconds, 120 at most, and is never retried.

        Raises ``Quota``, ``NoAccess``, ``Unavailable`` (no answer in time, or the engine failed) and ``Declined`` (the
        page itself cannot be tested). Each message gives the reason in plain words.
        """


def connected() -> SpeedTester:
    """Return the tester that the setting SPEED_PROVIDER selects. The service's own engine runs in the Lambda function
    that ENGINE_FUNCTION names or, without this setting, on this machine. Raises ``NotConnected``."""
    provider = speed_settings().provider.strip().lower()
    if provider == "psi":
        from chalicelib.connectors.pagespeed import PageSpeedInsights

        return PageSpeedInsights.connected()
    if provider == "lighthouse":
        if speed_settings().engine_function.strip():
            from chalicelib.connectors.engine_function import EngineFunction

            return EngineFunction.connected()
        from chalicelib.connectors.lighthouse import Lighthouse

        return Lighthouse.connected()
    raise NotConnected(f"SPEED_PROVIDER is {provider[:40]!r}; the providers are psi and lighthouse.")
