"""Calls Gemini: POST /v1beta/models/{model}:generateContent. The key is sent in a header, never in the URL."""

from collections.abc import Mapping
from typing import Any

import msgspec

from chalicelib.connectors.assistants.redirects import is_redirect, resolved
from chalicelib.connectors.assistants.wire import MOST_ANSWER_TOKENS, MOST_TOKENS, Answer, Service, citations_of
from chalicelib.domain.visibility.prompts import Place


class _Part(msgspec.Struct):
    text: str | None = None
    thought: bool = False


class _Content(msgspec.Struct):
    parts: list[_Part] | None = None


class _Web(msgspec.Struct):
    uri: str | None = None
    title: str | None = None


class _Chunk(msgspec.Struct):
    web: _Web | None = None


class _Support(msgspec.Struct, rename="camel"):
    grounding_chunk_indices: list[int] | None = None


class _Grounding(msgspec.Struct, rename="camel"):
    web_search_queries: list[str] | None = None
    grounding_chunks: list[_Chunk] | None = None
    grounding_supports: list[_Support] | None = None


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    grounding_metadata: _Grounding | None = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _Whole(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    model_version: str = ""


class Gemini(Service):
    """The Gemini API. The model decides whether to search; a search cannot be forced."""

    __slots__ = ()
    provider = "gemini"
    name = "Gemini"
    usual_model = "gemini-flash-latest"
    version = "v1beta"

    def _path(self) -> str:
        return f"models/{self.model.removeprefix('models/')}:generateContent"

    def _credentials(self) -> Mapping[str, str]:
        return {"x-goog-api-key": self.key}

    def _draft_request(self, prompt: str, instructions: str) -> dict[str, Any]:
        request = _request(prompt, MOST_TOKENS)
        return {**request, "systemInstruction": {"parts": [{"text": instructions}]}} if instructions else request

    def _read_draft(self, body: bytes) -> tuple[str, str]:
        answer, candidate = self._candidate(body)
        return _text(candidate), answer.model_version

    def _question(self, question: str, place: Place) -> dict[str, Any]:
        request = {**_request(question, MOST_ANSWER_TOKENS), "tools": [{"googleSearch": {}}]}
        if place.language:
            request["toolConfig"] = {"retrievalConfig": {"languageCode": place.language}}
        return request

    def _read_answer(self, body: bytes) -> Answer:
        answer, candidate = self._candidate(body)
        found = candidate.grounding_metadata or _Grounding()
        chunks = found.grounding_chunks or []
        cited = {
            number for support in found.grounding_supports or () for number in support.grounding_chunk_indices or ()
        }
        pages = [chunk.web for number, chunk in enumerate(chunks) if number in cited and chunk.web is not None]
        searched = bool(found.web_search_queries or chunks)
        leads = resolved(page.uri or "" for page in pages)
        titled = [(leads.get(uri) if is_redirect(uri := page.uri or "") else uri, page.title) for page in pages]
        return Answer(_text(candidate), answer.model_version, searched, citations_of(titled))

    def _candidate(self, body: bytes) -> tuple[_Whole, _Candidate]:
        answer = self._decoded(body, _Whole)
        if answer.prompt_feedback is not None and answer.prompt_feedback.block_reason:
            raise self._declined(answer.prompt_feedback.block_reason)
        candidate = answer.candidates[0] if answer.candidates else _Candidate()
        if candidate.finish_reason == "MAX_TOKENS":
            raise self._cut_off()
        if candidate.finish_reason not in (None, "STOP"):
            raise self._declined(candidate.finish_reason)
        return answer, candidate


def _request(prompt: str, tokens: int) -> dict[str, Any]:
    return {
        "contents": [{"role": "user", "parts": [{"text": prompt}]}],
        "generationConfig": {"maxOutputTokens": tokens},
    }


def _text(candidate: _Candidate) -> str:
    parts = (candidate.content.parts if candidate.content else None) or []
    return "".join(part.text or "" for part in parts if not part.thought)
