"""Calls Perplexity's assistant: POST /v1/agent. Its earlier API for Sonar, chat completions, no longer exists."""

import re
from typing import Any, Final

import msgspec

from chalicelib.connectors.assistants.responses import Part, Responses, Whole, text_of
from chalicelib.connectors.assistants.wire import MOST_ANSWER_TOKENS, Answer, citations_of
from chalicelib.domain.visibility.prompts import Place

_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
# A citation mark after the supported text: the number of a result, alone or after the tool's name.
_MARKER: Final = re.compile(r"\[(?:web:)?(\d{1,4})\]")

_CITING: Final = (None, "url_citation", "citation")


class _Annotation(msgspec.Struct):
    type: str | None = None
    url: str | None = None
    title: str | None = None


class _Part(Part):
    annotations: list[_Annotation] | None = None


class _Result(msgspec.Struct):
    id: int | None = None
    url: str | None = None
    title: str | None = None


class _Item(msgspec.Struct):
    type: str = ""
    content: list[_Part] | None = None
    results: list[msgspec.Raw] | None = None


class _Whole(Whole, kw_only=True):
    output: list[_Item]

    @property
    def parts(self) -> list[_Part]:
        return [part for item in self.output if item.type == "message" for part in item.content or ()]

    @property
    def text(self) -> str:
        # Reasoning models write their thoughts before the answer.
        return _THOUGHTS.sub("", text_of(self.parts))


class Perplexity(Responses):
    """The Agent API. The request offers the search tool. The model decides whether to search; a search cannot be
    forced.
    """

    __slots__ = ()
    provider = "perplexity"
    name = "Perplexity"
    usual_model = "perplexity/sonar"

    def _path(self) -> str:
        return "agent"

    def _question(self, question: str, place: Place) -> dict[str, Any]:
        tool: dict[str, Any] = {"type": "web_search"}
        if place.country:
            tool["user_location"] = {"country": place.country}
        request = {
            "model": self.model,
            "input": question,
            "tools": [tool],
            "max_output_tokens": MOST_ANSWER_TOKENS,
            "store": False,
        }
        return {**request, "language_preference": place.language} if place.language else request

    def _read_answer(self, body: bytes) -> Answer:
        whole = self._whole(body)
        searches = [item for item in whole.output if item.type == "search_results"]
        results = [self._decoded(bytes(one), _Result) for item in searches for one in item.results or ()]
        numbered = {one.id: one for one in results if one.id is not None}
        marked = [numbered[int(number)] for number in _MARKER.findall(whole.text) if int(number) in numbered]
        noted = [note for part in whole.parts for note in part.annotations or () if note.type in _CITING]
        cited = [(one.url, one.title) for one in noted] + [(one.url, one.title) for one in marked]
        return Answer(whole.text, whole.model, bool(searches), citations_of(cited))

    def _whole(self, body: bytes) -> _Whole:
        answer = self._decoded(body, _Whole)
        self._check_not_failed(answer)
        if answer.status == "incomplete":
            raise self._cut_off()
        return answer
