"""The base class of the four assistants. It makes one JSON request, and classifies failures.

Each subclass implements its service's own wire format. Failures of all services become the same five errors
(``connectors.errors``). Text that a model has written is only data; the service never follows instructions in it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import msgspec

from chalicelib.connectors.answers import decoded, in_one_line
from chalicelib.connectors.errors import Declined, NoAccess, Quota, Unavailable
from chalicelib.domain.printable import printable
from chalicelib.domain.visibility.citations import Citation, citation
from chalicelib.domain.visibility.prompts import Place
from chalicelib.net.calls import NoAnswer, Reply, call_operators_address
from chalicelib.settings.network import network_settings

DRAFT_SECONDS: Final = 60.0  # time limit of one draft, including the model's reasoning
ANSWER_SECONDS: Final = 75.0  # time limit of one answer, including its searches
MOST_TOKENS: Final = 8_192  # limit on a draft, including the model's reasoning
MOST_ANSWER_TOKENS: Final = 16_384
LONGEST_MODEL: Final = 100  # characters of a model's name
USER_AGENT: Final = "WebsiteOptimizationService/1"  # some gateways refuse requests without a user agent
_MODEL_NAME: Final = re.compile(r"\w[\w.:@-]*(/\w[\w.:@-]*)*", re.ASCII)

Wire = TypeVar("Wire")


class ModelRefused(Declined):
    """Raised if the model itself refuses to answer."""


class Draft(NamedTuple):
    """An assistant's draft. ``model``: the model that wrote it, as the provider names it."""

    text: str
    model: str
    provider: str


class Answer(NamedTuple):
    """An assistant's answer to a question. ``searched``: whether the assistant searched the web. ``citations``: the
    pages that the text cites. Pages that the search found but the text does not cite are not included."""

    text: str
    model: str
    searched: bool
    citations: tuple[Citation, ...]


def is_model_name(name: str) -> bool:
    return _MODEL_NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Service(ABC):
    """The client of one assistant. It never retries a request."""

    provider: ClassVar[str]
    name: ClassVar[str]  # display name
    usual_model: ClassVar[str]
    version: ClassVar[str]  # the version in the path, with which the operator's base address may end

    base_url: str
    key: str = field(repr=False)
    model: str

    def draft(self, prompt: str, *, instructions: str = "", seconds: float = DRAFT_SECONDS) -> Draft:
        """Draft a text from the prompt, without a search. ``instructions`` take precedence over the prompt.

        Raises ``NoAccess``, ``Quota``, ``Unavailable`` and ``Declined``.
        """
        text, model = self._read_draft(self._post(self._draft_request(prompt, instructions), seconds))
        return Draft(self._some(text), self._served(model), self.provider)

    def ask(self, question: str, place: Place, *, seconds: float = ANSWER_SECONDS) -> Answer:
        """Answer a question with a web search. The request forces the search if the service allows that. Language and
        country are sent if the service accepts them.

        Raises ``NoAccess``, ``Quota``, ``Unavailable`` and ``Declined``. If the model itself refuses to answer, raises
        ``ModelRefused``, a subclass of ``Declined``.
        """
        answer = self._read_answer(self._post(self._question(question, place), seconds))
        return self._complete(answer)

    def _complete(self, answer: Answer) -> Answer:
        """Return the answer with its model name shortened for display. Raises ``Declined`` if the answer has no
        text."""
        return answer._replace(text=self._some(answer.text), model=self._served(answer.model))

    def _served(self, model: str) -> str:
        return printable(model, LONGEST_MODEL) or self.model

    def _post(self, request: Mapping[str, Any], seconds: float) -> bytes:
        """Send the request, and return the body of the answer. Raises an ``OutsideError`` for any status but 200."""
        network = network_settings()
        headers = {"Content-Type": "application/json", "User-Agent": USER_AGENT, **self._credentials()}
        try:
            reply = call_operators_address(
                "POST",
                self._address(),
                headers,
                msgspec.json.encode(request),
                seconds=seconds,
                allow_addresses=network.allow_addresses,
                extra_hosts=network.extra_hosts,
                ca_file=network.extra_ca_file,
                service=self.name,
            )
        except NoAnswer as reason:
            raise Unavailable(f"{self.name} could not be reached: {reason}.") from None
        if reply.status != 200:
            raise self._failure(reply)
        return reply.body

    def _some(self, text: str) -> str:
        if not text.strip():
            raise Declined(f"{self.name} answered without a text.")
        return text

    def _address(self) -> str:
        base = self.base_url.strip().rstrip("/")
        if not base.endswith(f"/{self.version}"):
            base = f"{base}/{self.version}"
        return f"{base}/{self._path()}"

    # -- the wire format of each service -------------------------------------------------------------------

    @abstractmethod
    def _path(self) -> str:
        """Return the path of the request, below the base address and the version."""

    def _credentials(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    @abstractmethod
    def _draft_request(self, prompt: str, instructions: str) -> dict[str, Any]:
        """Make the request body that asks for a draft."""

    @abstractmethod
    def _read_draft(self, body: bytes) -> tuple[str, str]:
        """Read text and model of a draft from an answer's body. Raises ``Declined`` and ``Unavailable``."""

    @abstractmethod
    def _question(self, question: str, place: Place) -> dict[str, Any]:
        """Make the request body that asks a question."""

    @abstractmethod
    def _read_answer(self, body: bytes) -> Answer:
        """Read the answer to a question. Raises ``Declined`` and ``Unavailable``."""

    # -- failures ------------------------------------------------------------------------------------------

    def _failure(self, reply: Reply) -> Exception:
        said = self._said(reply.body)
        status = reply.status
        if status in (401, 403) or "API_KEY_INVALID" in said.tokens:
            # The provider's message often repeats a part of the key, so it is not passed on.
            return NoAccess(f"{self.name} refused the API key, or it may not use the model {self.model}.")
        # A used-up account is reported with 402 or 429, by one provider with 400.
        if status in (402, 429) or "credit balance" in said.message.lower():
            return Quota(
                f"{self.name} accepts no more requests for now, or the account has no credit left.", reply.retry_after
            )
        if status == 404:
            return Declined(f"{self.name} has no model {self.model} at {self.base_url}.")
        if status == 408 or status >= 500 or status < 400:
            return Unavailable(f"{self.name} answered {status}; try again later.", reply.retry_after)
        return Declined(f"{self.name} refused the request ({status}): {self._words(said.message)}")

    def _said(self, body: bytes) -> "_Said":
        try:
            error = decoded(body, _ErrorAnswer).error
        except ValueError:
            return _Said("", frozenset())
        reasons = [detail.get("reason") for detail in error.details or ()]
        return _Said(error.message or "", frozenset(map(str, [error.type, error.code, error.status, *reasons])))

    def _words(self, text: str) -> str:
        """Return a provider's message as one short line, without the key."""
        return in_one_line(text, [self.key])

    def _decoded(self, body: bytes, wire: type[Wire]) -> Wire:
        try:
            return decoded(body, wire)
        except ValueError:
            raise Unavailable(f"{self.name} answered in an unexpected form.") from None

    def _cut_off(self) -> Declined:
        return Declined(f"{self.name} stopped before the text was complete.")

    def _declined(self, reason: str) -> ModelRefused:
        return ModelRefused(f"{self.name} declined to write this text: {self._words(reason)}")

    def _search_failed(self, reason: str = "") -> Unavailable:
        why = f" ({self._words(reason)})" if reason else ""
        return Unavailable(f"The web search of {self.name} failed{why}; try again later.")


def citations_of(found: list[tuple[str | None, str | None]]) -> tuple[Citation, ...]:
    """Make citations from pairs of address and title. Unusable addresses are left out."""
    read = (citation(url or "", title or "") for url, title in found)
    return tuple(dict.fromkeys(one for one in read if one is not None))


class _Said(NamedTuple):
    """An error answer: its message, and every token in it that names the error."""

    message: str
    tokens: frozenset[str]


class Failure(msgspec.Struct):
    """The error object in a service's error answer."""

    message: str | None = None
    type: Any = None
    code: Any = None
    status: Any = None
    details: list[dict[str, Any]] | None = None


class _ErrorAnswer(msgspec.Struct):
    error: Failure
