"""Lists the assistants that can answer a website's prompts: those for which an API key is available."""

from collections.abc import Mapping
from typing import Protocol

from chalicelib.connectors.assistants.providers import PROVIDERS, operators_key, service
from chalicelib.connectors.assistants.wire import ANSWER_SECONDS, Answer, is_model_name
from chalicelib.connectors.errors import NotConnected
from chalicelib.domain.visibility.prompts import Place
from chalicelib.settings.assistants import assistant_settings


class Answering(Protocol):
    """An AI assistant that answers questions with a web search."""

    @property
    def provider(self) -> str:
        """The provider's short name."""

    @property
    def name(self) -> str:
        """The provider's display name."""

    @property
    def model(self) -> str:
        """The requested model."""

    def ask(self, question: str, place: Place, *, seconds: float = ANSWER_SECONDS) -> Answer:
        """Ask a question and return the answer. Raises ``NoAccess``, ``Quota``, ``Unavailable``, ``Declined`` and, if
        the model itself refuses to answer, ``ModelRefused``."""


def answering(own_keys: Mapping[str, str]) -> list[Answering]:
    """Return the available assistants, in the order of ``PROVIDERS``. ``own_keys``: a workspace's keys by provider,
    used instead of the operator's. Raises ``NotConnected`` for an invalid setting SAMPLING_MODELS."""
    models = _models()
    keys = {provider: own_keys.get(provider) or operators_key(provider) for provider in PROVIDERS}
    return [service(provider, models.get(provider, ""), key) for provider, key in keys.items() if key]


def _models() -> dict[str, str]:
    given = [pair.strip() for pair in assistant_settings().sampling_models.split(",") if pair.strip()]
    models: dict[str, str] = {}
    for pair in given:
        provider, _, model = pair.partition("=")
        if provider.strip() not in PROVIDERS or not is_model_name(model.strip()):
            raise NotConnected(
                f"SAMPLING_MODELS has {pair[:60]!r}; it must be a list such as openai=gpt-5-mini, with the providers "
                f"{', '.join(PROVIDERS)}."
            )
        models[provider.strip()] = model.strip()
    return models
