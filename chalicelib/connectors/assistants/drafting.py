"""Drafts a text from a prompt with the assistant that the operator chose.

A draft is plain text as the model wrote it. The caller must clean it before storing or showing it. No web search is
made for a draft.
"""

from typing import Protocol

from chalicelib.connectors.assistants.providers import PROVIDERS, operators_key, service
from chalicelib.connectors.assistants.wire import DRAFT_SECONDS, Draft, is_model_name
from chalicelib.connectors.errors import NotConnected
from chalicelib.settings.assistants import assistant_settings


class Assistant(Protocol):
    """An AI assistant that writes texts."""

    @property
    def provider(self) -> str:
        """The provider's short name."""

    @property
    def model(self) -> str:
        """The requested model."""

    def draft(self, prompt: str, *, instructions: str = "", seconds: float = DRAFT_SECONDS) -> Draft:
        """Draft a text from the prompt. ``instructions`` take precedence over the prompt. One request, never retried.

        Raises ``NoAccess``, ``Quota``, ``Unavailable`` and ``Declined``.
        """


def connected() -> Assistant:
    """Return the assistant that the settings ASSISTANT and ASSISTANT_MODEL select. Raises ``NotConnected``."""
    name, model = _chosen()
    key = operators_key(name)
    if not key:
        raise NotConnected(f"ASSISTANT is {name}, but {name.upper()}_API_KEY is not set.")
    return service(name, model, key)


def chosen() -> str:
    """Return the provider and the model that the settings ASSISTANT and ASSISTANT_MODEL select. This does not check
    whether there is a key for the provider. Raises ``NotConnected``."""
    name, model = _chosen()
    return f"{name} {model or PROVIDERS[name].usual_model}"


def _chosen() -> tuple[str, str]:
    settings = assistant_settings()
    if not settings.assistant:
        raise NotConnected(
            f"No AI assistant is connected: set ASSISTANT to one of {', '.join(PROVIDERS)}, and its API key."
        )
    name = settings.assistant.strip().lower()
    if name not in PROVIDERS:
        raise NotConnected(
            f"ASSISTANT is {settings.assistant[:40]!r}; the supported assistants are {', '.join(PROVIDERS)}."
        )
    model = settings.model.strip()
    if model and not is_model_name(model):
        raise NotConnected(f"ASSISTANT_MODEL is {model[:40]!r}, which is not the name of a model.")
    return name, model
