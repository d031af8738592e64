"""AI assistants as an outside system: the one that the operator chose drafts a text from a prompt.

Four providers behind one Protocol. Each speaks its service's own wire format; failures of all of them are told apart
in the same five ways (``connectors.errors``). A draft is plain text as the model wrote it: what is done to it before
it is stored or shown is the caller's matter. No provider searches the web for a draft.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeVar

import msgspec

from chalicelib.connectors.answers import decoded
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, Quota, Unavailable
from chalicelib.net.calls import NoAnswer, Reply, call_operators_address
from chalicelib.settings.assistants import assistant_settings
from chalicelib.settings.network import network_settings

SECONDS: Final = 60.0  # of one draft, from the look-up of the name to the answer's end; models think before they write
MOST_TOKENS: Final = 8_192  # of an answer, what a model thinks included
MOST_REASON: Final = 200  # characters of a provider's own words in a message
USER_AGENT: Final = "WebsiteOptimizationService/1"  # some gateways turn away requests without one
_MODEL_NAME: Final = re.compile(r"\w[\w.:@-]*(/\w[\w.:@-]*)*", re.ASCII)
_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)

Wire = TypeVar("Wire")


class Draft(NamedTuple):
    """What an assistant wrote. ``model``: the one that served, as the provider names it."""

    text: str
    model: str
    provider: str


class Assistant(Protocol):
    """An AI assistant that writes texts."""

    @property
    def provider(self) -> str:
        """The provider's short name."""

    def draft(self, prompt: str, *, instructions: str = "", seconds: float = SECONDS) -> Draft:
        """A text written to the prompt; ``instructions`` rank above it. One request, never tried twice.

        Raises ``NoAccess``, ``Quota``, ``Unavailable`` and ``Declined``.
        """


def connected() -> Assistant:
    """The assistant of the settings ASSISTANT and ASSISTANT_MODEL. Raises ``NotConnected``."""
    settings = assistant_settings()
    if not settings.assistant:
        raise NotConnected(
            f"No AI assistant is connected: set ASSISTANT to one of {', '.join(PROVIDERS)}, and its API key."
        )
    provider = PROVIDERS.get(settings.assistant.strip().lower())
    if provider is None:
        raise NotConnected(f"ASSISTANT is {settings.assistant[:40]!r}; the assistants are {', '.join(PROVIDERS)}.")
    name = provider.provider
    key = str(getattr(settings, f"{name}_api_key")).strip()
    if not key:
        raise NotConnected(f"ASSISTANT is {name}, but {name.upper()}_API_KEY is not set.")
    model = settings.model.strip() or provider.usual_model
    if _MODEL_NAME.fullmatch(model) is None:
        raise NotConnected(f"ASSISTANT_MODEL is {model[:40]!r}, which is no name of a model.")
    return provider(getattr(settings, f"{name}_base_url"), key, model)


@dataclass(frozen=True, slots=True)
class _Service(ABC):
    """What the four have in common: one JSON request, and how its failures are told apart."""

    provider: ClassVar[str]
    name: ClassVar[str]  # for people
    usual_model: ClassVar[str]
    version: ClassVar[str] = ""  # the part of the path that an operator's base address may or may not end with

    base_url: str
    key: str = field(repr=False)
    model: str

    def draft(self, prompt: str, *, instructions: str = "", seconds: float = SECONDS) -> Draft:
        network = network_settings()
        headers = {"Content-Type": "application/json", "User-Agent": USER_AGENT, **self._credentials()}
        try:
            reply = call_operators_address(
                "POST",
                self._address(),
                headers,
                json.dumps(self._request(prompt, instructions)).encode(),
                seconds=seconds,
                allow_addresses=network.allow_addresses,
                extra_hosts=network.extra_hosts,
                ca_file=network.extra_ca_file,
            )
        except NoAnswer as reason:
            raise Unavailable(f"{self.name} could not be reached: {reason}.") from None
        if reply.status != 200:
            raise self._failure(reply)
        text, model = self._read(reply.body)
        if not text.strip():
            raise Declined(f"{self.name} answered without a text.")
        return Draft(text, model or self.model, self.provider)

    def _address(self) -> str:
        base = self.base_url.strip().rstrip("/")
        if self.version and not base.endswith(f"/{self.version}"):
            base = f"{base}/{self.version}"
        return f"{base}/{self._path()}"

    # -- what each says in its own way ---------------------------------------------------------------------

    @abstractmethod
    def _path(self) -> str:
        """Where the request goes, below the base address and the version."""

    def _credentials(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    @abstractmethod
    def _request(self, prompt: str, instructions: str) -> dict[str, Any]:
        """The request's body."""

    @abstractmethod
    def _read(self, body: bytes) -> tuple[str, str]:
        """Text and model of an answer with status 200. Raises ``Declined`` and ``Unavailable``."""

    # -- failures ------------------------------------------------------------------------------------------

    def _failure(self, reply: Reply) -> Exception:
        said = self._said(reply.body)
        status = reply.status
        if status in (401, 403) or "API_KEY_INVALID" in said.tokens:
            # The provider's own words often repeat a part of the key: they are not passed on.
            return NoAccess(f"{self.name} refused the API key, or it may not use the model {self.model}.")
        # An empty account is told by 402 or 429, and by one provider with 400.
        if status in (402, 429) or "credit balance" in said.message.lower():
            return Quota(
                f"{self.name} takes no more requests for now, or the account has nothing left.", reply.retry_after
            )
        if status == 404:
            return Declined(f"{self.name} knows no model {self.model} at {self.base_url}.")
        if status == 408 or status >= 500 or status < 400:
            return Unavailable(f"{self.name} answered {status}; try again later.")
        return Declined(f"{self.name} refused the request ({status}): {self._words(said.message) or 'no reason given'}")

    def _said(self, body: bytes) -> "_Said":
        try:
            error = decoded(body, _ErrorAnswer).error
        except ValueError:
            return _Said("", frozenset())
        reasons = [detail.get("reason") for detail in error.details or ()]
        return _Said(error.message or "", frozenset(map(str, [error.type, error.code, error.status, *reasons])))

    def _words(self, text: str) -> str:
        """A provider's words, fit for a message: one line, short, and never with the key in it."""
        printable = "".join(character if character.isprintable() else " " for character in text)
        return " ".join(printable.replace(self.key, "…").split())[:MOST_REASON]

    def _decoded(self, body: bytes, wire: type[Wire]) -> Wire:
        try:
            return decoded(body, wire)
        except ValueError:
            raise Unavailable(f"{self.name} answered in a form that is not its own.") from None

    def _cut_off(self) -> Declined:
        return Declined(f"{self.name} stopped before the text was complete ({MOST_TOKENS} tokens).")

    def _declined(self, reason: str) -> Declined:
        return Declined(f"{self.name} declined to write this text: {self._words(reason) or 'no reason given'}")


class _Said(NamedTuple):
    """An error answer: its words, and every token in it that names the error."""

    message: str
    tokens: frozenset[str]


class _Error(msgspec.Struct):
    message: str | None = None
    type: Any = None
    code: Any = None
    status: Any = None
    details: list[dict[str, Any]] | None = None


class _ErrorAnswer(msgspec.Struct):
    error: _Error


# -- OpenAI ------------------------------------------------------------------------------------------------


class _OpenAiPart(msgspec.Struct):
    type: str = ""
    text: str | None = None
    refusal: str | None = None


class _OpenAiItem(msgspec.Struct):
    type: str = ""
    content: list[_OpenAiPart] | None = None


class _OpenAiIncomplete(msgspec.Struct):
    reason: str | None = None


class _OpenAiAnswer(msgspec.Struct):
    output: list[_OpenAiItem]
    model: str = ""
    status: str = "completed"
    incomplete_details: _OpenAiIncomplete | None = None
    error: _Error | None = None


class OpenAi(_Service):
    """POST /v1/responses. Nothing of the exchange is kept there (``store`` false)."""

    __slots__ = ()
    provider = "openai"
    name = "OpenAI"
    usual_model = "gpt-5-mini"
    version = "v1"

    def _path(self) -> str:
        return "responses"

    def _request(self, prompt: str, instructions: str) -> dict[str, Any]:
        request = {"model": self.model, "input": prompt, "max_output_tokens": MOST_TOKENS, "store": False}
        return {**request, "instructions": instructions} if instructions else request

    def _read(self, body: bytes) -> tuple[str, str]:
        answer = self._decoded(body, _OpenAiAnswer)
        if answer.error is not None or answer.status == "failed":
            raise Unavailable(f"{self.name} failed while it wrote; try again later.")
        if answer.incomplete_details is not None or answer.status == "incomplete":
            reason = answer.incomplete_details.reason if answer.incomplete_details else None
            raise self._declined(reason) if reason == "content_filter" else self._cut_off()
        parts = [part for item in answer.output if item.type == "message" for part in item.content or ()]
        refusals = [part.refusal for part in parts if part.refusal]
        if refusals:
            raise self._declined(refusals[0])
        return "".join(part.text or "" for part in parts if part.type == "output_text"), answer.model


# -- Anthropic ---------------------------------------------------------------------------------------------


class _AnthropicPart(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _AnthropicAnswer(msgspec.Struct):
    content: list[_AnthropicPart]
    model: str = ""
    stop_reason: str | None = None


class Anthropic(_Service):
    """POST /v1/messages."""

    __slots__ = ()
    provider = "anthropic"
    name = "Anthropic"
    usual_model = "claude-haiku-4-5"
    version = "v1"

    def _path(self) -> str:
        return "messages"

    def _credentials(self) -> Mapping[str, str]:
        return {"x-api-key": self.key, "anthropic-version": "2023-06-01"}

    def _request(self, prompt: str, instructions: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt}]
        request = {"model": self.model, "max_tokens": MOST_TOKENS, "messages": messages}
        return {**request, "system": instructions} if instructions else request

    def _read(self, body: bytes) -> tuple[str, str]:
        answer = self._decoded(body, _AnthropicAnswer)
        if answer.stop_reason == "refusal":
            raise self._declined("")
        if answer.stop_reason == "max_tokens":
            raise self._cut_off()
        return "".join(part.text or "" for part in answer.content if part.type == "text"), answer.model


# -- Gemini ------------------------------------------------------------------------------------------------


class _GeminiPart(msgspec.Struct):
    text: str | None = None
    thought: bool = False


class _GeminiContent(msgspec.Struct):
    parts: list[_GeminiPart] | None = None


class _GeminiCandidate(msgspec.Struct, rename="camel"):
    content: _GeminiContent | None = None
    finish_reason: str | None = None


class _GeminiFeedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _GeminiAnswer(msgspec.Struct, rename="camel"):
    candidates: list[_GeminiCandidate] | None = None
    prompt_feedback: _GeminiFeedback | None = None
    model_version: str = ""


class Gemini(_Service):
    """POST /v1beta/models/{model}:generateContent. The key goes into a header, never into the address."""

    __slots__ = ()
    provider = "gemini"
    name = "Gemini"
    usual_model = "gemini-flash-latest"
    version = "v1beta"

    def _path(self) -> str:
        return f"models/{self.model.removeprefix('models/')}:generateContent"

    def _credentials(self) -> Mapping[str, str]:
        return {"x-goog-api-key": self.key}

    def _request(self, prompt: str, instructions: str) -> dict[str, Any]:
        request: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "generationConfig": {"maxOutputTokens": MOST_TOKENS},
        }
        return {**request, "systemInstruction": {"parts": [{"text": instructions}]}} if instructions else request

    def _read(self, body: bytes) -> tuple[str, str]:
        answer = self._decoded(body, _GeminiAnswer)
        if answer.prompt_feedback is not None and answer.prompt_feedback.block_reason:
            raise self._declined(answer.prompt_feedback.block_reason)
        candidate = answer.candidates[0] if answer.candidates else _GeminiCandidate()
        if candidate.finish_reason == "MAX_TOKENS":
            raise self._cut_off()
        if candidate.finish_reason not in (None, "STOP"):
            raise self._declined(candidate.finish_reason)
        parts = (candidate.content.parts if candidate.content else None) or []
        return "".join(part.text or "" for part in parts if not part.thought), answer.model_version


# -- Perplexity --------------------------------------------------------------------------------------------


class _PerplexityMessage(msgspec.Struct):
    content: str | None = None


class _PerplexityChoice(msgspec.Struct):
    message: _PerplexityMessage
    finish_reason: str | None = None


class _PerplexityAnswer(msgspec.Struct):
    choices: list[_PerplexityChoice]
    model: str = ""


class Perplexity(_Service):
    """POST /chat/completions, with the web search that it otherwise always makes switched off."""

    __slots__ = ()
    provider = "perplexity"
    name = "Perplexity"
    usual_model = "sonar"

    def _path(self) -> str:
        return "chat/completions"

    def _request(self, prompt: str, instructions: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt}]
        if instructions:
            messages.insert(0, {"role": "system", "content": instructions})
        return {"model": self.model, "messages": messages, "max_tokens": MOST_TOKENS, "disable_search": True}

    def _read(self, body: bytes) -> tuple[str, str]:
        answer = self._decoded(body, _PerplexityAnswer)
        choice = answer.choices[0] if answer.choices else _PerplexityChoice(_PerplexityMessage())
        if choice.finish_reason == "length":
            raise self._cut_off()
        # Its reasoning models write what they think in front of the answer.
        return _THOUGHTS.sub("", choice.message.content or ""), answer.model


PROVIDERS: Final[Mapping[str, type[_Service]]] = {
    service.provider: service for service in (OpenAi, Anthropic, Gemini, Perplexity)
}
