"""Makes one request to a Google API that takes an API key, and classifies a failure of the request.

The key is sent in a header, never in the address. So the key is not in errors and logs that contain the address.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from chalicelib.connectors.answers import decoded, in_one_line
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.net.calls import NoAnswer, Reply, call_operators_address
from chalicelib.settings.network import network_settings

USER_AGENT: Final = "WebsiteOptimizationService/1"


@dataclass(frozen=True, slots=True)
class GoogleApi:
    """The Google API ``name`` at ``base_url``, called with an API ``key``."""

    name: str
    base_url: str
    key: str = field(repr=False)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, *, seconds: float) -> Reply:
        """Make one request, and return the answer with any status. Raises ``Unavailable``."""
        network = network_settings()
        headers = {"X-Goog-Api-Key": self.key, "User-Agent": USER_AGENT, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            return call_operators_address(
                method,
                f"{self.base_url.strip().rstrip('/')}{path}",
                headers,
                b"" if body is None else msgspec.json.encode(body),
                seconds=seconds,
                allow_addresses=network.allow_addresses,
                extra_hosts=network.extra_hosts,
                ca_file=network.extra_ca_file,
                service=self.name,
            )
        except NoAnswer as reason:
            raise Unavailable(f"{self.name} could not be reached: {reason}.") from None

    def failure(self, reply: Reply) -> OutsideError:
        """Make the error for an answer with a status other than 200."""
        said = _said(reply.body)
        if reply.status in (401, 403) or "API_KEY_INVALID" in said.tokens:
            return NoAccess(f"{self.name} refused the API key, or the API is not enabled for it.")
        if reply.status == 429 or "RESOURCE_EXHAUSTED" in said.tokens:
            return Quota(f"{self.name} accepts no more requests for now: its quota is used up.", reply.retry_after)
        if reply.status == 408 or reply.status >= 500 or reply.status < 400:
            return Unavailable(f"{self.name} answered {reply.status}; try again later.")
        return Declined(f"{self.name} refused the request ({reply.status}): {in_one_line(said.message, [self.key])}")

    def not_its_own(self) -> Unavailable:
        """Make the error for an answer that cannot be read."""
        return Unavailable(f"{self.name} answered in an unexpected form.")


class _Error(msgspec.Struct):
    message: str | None = None
    status: str | None = None
    details: list[dict[str, Any]] | None = None

    @property
    def tokens(self) -> frozenset[str]:
        """Return the short codes in an error answer that say why the request failed."""
        return frozenset(map(str, [self.status, *(detail.get("reason") for detail in self.details or ())]))


class _ErrorAnswer(msgspec.Struct):
    error: _Error


class _Said(msgspec.Struct):
    message: str = ""
    tokens: frozenset[str] = frozenset()


def _said(body: bytes) -> _Said:
    try:
        error = decoded(body, _ErrorAnswer).error
    except ValueError:
        return _Said()
    return _Said(error.message or "", error.tokens)
