"""Calls Anthropic's assistant: POST /v1/messages."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from chalicelib import clock
from chalicelib.connectors.assistants.wire import (
    ANSWER_SECONDS,
    MOST_ANSWER_TOKENS,
    MOST_TOKENS,
    Answer,
    Service,
    citations_of,
)
from chalicelib.connectors.errors import Unavailable
from chalicelib.domain.visibility.prompts import Place

MOST_SEARCHES: Final = 5  # searches for one answer
MOST_PAUSES: Final = 4  # how often a paused answer is continued
_TOOL: Final = "web_search"


class _Citation(msgspec.Struct):
    type: str = ""
    url: str | None = None
    title: str | None = None


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    name: str | None = None
    citations: list[_Citation] | None = None
    content: Any = None


class _Whole(msgspec.Struct):
    content: list[msgspec.Raw]
    model: str = ""
    stop_reason: str | None = None


class Anthropic(Service):
    """The Messages API. The request names the search tool, which forces a search. If the service pauses before the
    answer is complete, the unfinished answer is sent back to it, so that it continues."""

    __slots__ = ()
    provider = "anthropic"
    name = "Anthropic"
    usual_model = "claude-haiku-4-5"
    version = "v1"

    def _path(self) -> str:
        return "messages"

    def _credentials(self) -> Mapping[str, str]:
        return {"x-api-key": self.key, "anthropic-version": "2023-06-01"}

    def _draft_request(self, prompt: str, instructions: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt}]
        request = {"model": self.model, "max_tokens": MOST_TOKENS, "messages": messages}
        return {**request, "system": instructions} if instructions else request

    def _read_draft(self, body: bytes) -> tuple[str, str]:
        whole = self._whole(body)
        return _text(self._blocks(whole)), whole.model

    def ask(self, question: str, place: Place, *, seconds: float = ANSWER_SECONDS) -> Answer:
        until = clock.monotonic() + seconds
        request = self._question(question, place)
        blocks: list[_Block] = []
        for _ in range(1 + MOST_PAUSES):
            whole = self._whole(self._post(request, max(until - clock.monotonic(), 0.001)))
            blocks += self._blocks(whole)
            if whole.stop_reason != "pause_turn":
                return self._complete(self._answer(blocks, whole.model))
            request["messages"].append({"role": "assistant", "content": whole.content})
            request.pop("tool_choice", None)  # the model has searched
        raise Unavailable(f"{self.name} paused again and again; try again later.")

    def _question(self, question: str, place: Place) -> dict[str, Any]:
        tool: dict[str, Any] = {"type": "web_search_20250305", "name": _TOOL, "max_uses": MOST_SEARCHES}
        if place.country:
            tool["user_location"] = {"type": "approximate", "country": place.country}
        return {
            "model": self.model,
            "max_tokens": MOST_ANSWER_TOKENS,
            "messages": [{"role": "user", "content": question}],
            "tools": [tool],
            "tool_choice": {"type": "tool", "name": _TOOL},
        }

    def _read_answer(self, body: bytes) -> Answer:
        whole = self._whole(body)
        return self._answer(self._blocks(whole), whole.model)

    def _answer(self, blocks: list[_Block], model: str) -> Answer:
        results = [block.content for block in blocks if block.type == "web_search_tool_result"]
        # An error of the tool is in an answer with status 200, in place of the results.
        errors = [str(result.get("error_code", "")) for result in results if isinstance(result, dict)]
        if results and len(errors) == len(results):
            raise self._search_failed(errors[0])
        cited = [(one.url, one.title) for block in blocks if block.type == "text" for one in block.citations or ()]
        return Answer(_text(blocks), model, bool(results), citations_of(cited))

    def _whole(self, body: bytes) -> _Whole:
        answer = self._decoded(body, _Whole)
        if answer.stop_reason == "refusal":
            raise self._declined("")
        if answer.stop_reason in ("max_tokens", "model_context_window_exceeded"):
            raise self._cut_off()
        return answer

    def _blocks(self, answer: _Whole) -> list[_Block]:
        return [self._decoded(bytes(block), _Block) for block in answer.content]


def _text(blocks: list[_Block]) -> str:
    return "".join(block.text or "" for block in blocks if block.type == "text")
