"""Lists the supported assistants by the provider's short name, and makes their clients."""

from collections.abc import Mapping
from typing import Final

from chalicelib.connectors.assistants.anthropic import Anthropic
from chalicelib.connectors.assistants.gemini import Gemini
from chalicelib.connectors.assistants.openai import OpenAi
from chalicelib.connectors.assistants.perplexity import Perplexity
from chalicelib.connectors.assistants.wire import Service
from chalicelib.settings.assistants import assistant_settings

PROVIDERS: Final[Mapping[str, type[Service]]] = {
    service.provider: service for service in (OpenAi, Anthropic, Gemini, Perplexity)
}


def service(provider: str, model: str, key: str) -> Service:
    """Make the client of a provider's assistant, at the address in the settings. ``model``: the model to request; if
    empty, the provider's default."""
    kind = PROVIDERS[provider]
    return kind(getattr(assistant_settings(), f"{provider}_base_url"), key, model or kind.usual_model)


def operators_key(provider: str) -> str:
    """Return the operator's own key for a provider; "" if it is not set."""
    return str(getattr(assistant_settings(), f"{provider}_api_key")).strip()
