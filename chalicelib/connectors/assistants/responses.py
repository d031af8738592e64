"""The requests and answers that OpenAI's Responses API and Perplexity's Agent API have in common."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import msgspec

from chalicelib.connectors.assistants.wire import MOST_TOKENS, Failure, Service
from chalicelib.connectors.errors import Unavailable


class Part(msgspec.Struct):
    """One part of a message in an answer. Each of the two services adds its own members."""

    type: str = ""
    text: str | None = None


class Whole(msgspec.Struct, kw_only=True):
    """An answer. The two services have different types for the member ``output``."""

    model: str = ""
    status: str = "completed"
    error: Failure | None = None

    @property
    @abstractmethod
    def text(self) -> str:
        """The text of the answer."""


def text_of(parts: Iterable[Part]) -> str:
    return "".join(part.text or "" for part in parts if part.type == "output_text")


class Responses(Service):
    """A service with this API: OpenAI or Perplexity."""

    __slots__ = ()
    version = "v1"

    def _draft_request(self, prompt: str, instructions: str) -> dict[str, Any]:
        request = {"model": self.model, "input": prompt, "max_output_tokens": MOST_TOKENS, "store": False}
        return {**request, "instructions": instructions} if instructions else request

    def _read_draft(self, body: bytes) -> tuple[str, str]:
        whole = self._whole(body)
        return whole.text, whole.model

    @abstractmethod
    def _whole(self, body: bytes) -> Whole:
        """Decode the answer and check that it is complete. Raises ``Unavailable`` and ``Declined``."""

    def _check_not_failed(self, answer: Whole) -> None:
        if answer.error is not None or answer.status == "failed":
            raise Unavailable(f"{self.name} failed while it wrote; try again later.")
