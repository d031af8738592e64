"""Calls OpenAI's assistant: POST /v1/responses. OpenAI is asked not to store requests and answers (``store`` false)."""

from typing import Any

import msgspec

from chalicelib.connectors.assistants.responses import Part, Responses, Whole, text_of
from chalicelib.connectors.assistants.wire import MOST_ANSWER_TOKENS, Answer, citations_of
from chalicelib.domain.visibility.prompts import Place


class _Annotation(msgspec.Struct):
    type: str = ""
    url: str | None = None
    title: str | None = None


class _Part(Part):
    refusal: str | None = None
    annotations: list[_Annotation] | None = None


class _Item(msgspec.Struct):
    type: str = ""
    status: str | None = None
    content: list[_Part] | None = None


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Whole(Whole, kw_only=True):
    output: list[_Item]
    incomplete_details: _Incomplete | None = None

    @property
    def parts(self) -> list[_Part]:
        return [part for item in self.output if item.type == "message" for part in item.content or ()]

    @property
    def text(self) -> str:
        return text_of(self.parts)


class OpenAi(Responses):
    """The Responses API. The request requires the use of a tool, which forces a search."""

    __slots__ = ()
    provider = "openai"
    name = "OpenAI"
    usual_model = "gpt-5-mini"

    def _path(self) -> str:
        return "responses"

    def _question(self, question: str, place: Place) -> dict[str, Any]:
        # Without a location the default is the United States; an empty location means none.
        location = {"type": "approximate", **({"country": place.country} if place.country else {})}
        return {
            "model": self.model,
            "input": question,
            "tools": [{"type": "web_search", "user_location": location}],
            "tool_choice": "required",
            "max_output_tokens": MOST_ANSWER_TOKENS,
            "store": False,
        }

    def _read_answer(self, body: bytes) -> Answer:
        whole = self._whole(body)
        searches = [item.status for item in whole.output if item.type == "web_search_call"]
        if searches and all(status == "failed" for status in searches):
            raise self._search_failed()
        cited = [
            (note.url, note.title)
            for part in whole.parts
            for note in part.annotations or ()
            if note.type == "url_citation"
        ]
        return Answer(whole.text, whole.model, bool(searches), citations_of(cited))

    def _whole(self, body: bytes) -> _Whole:
        answer = self._decoded(body, _Whole)
        self._check_not_failed(answer)
        if answer.incomplete_details is not None or answer.status == "incomplete":
            reason = answer.incomplete_details.reason if answer.incomplete_details else None
            raise self._declined(reason) if reason == "content_filter" else self._cut_off()
        refusals = [part.refusal for part in answer.parts if part.refusal]
        if refusals:
            raise self._declined(refusals[0])
        return answer
