"""A stand-in for the four AI assistants. Each has its own paths, checks, answers and errors.

Its texts depend only on the prompt, and say that no model was asked. A web search finds the made-up results of the
module ``searching``. One provider cites redirects instead of pages; the stand-in also answers at the addresses of these
redirects.
"""

import base64
import json
import re
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from local.serving import Answer, Request, Standin
from local.standins.searching import BRANDS, Brand, Found, search

KEY: Final = "stand-in-key"
# access: the key is refused. quota: too many requests. down: server error. partial: the answer breaks off half-way.
# refuse: the model declines. long: the answer is cut at the token limit.
# Only with a web search: search_error: the search fails inside an answer with status 200. unsearched: the model answers
# without a search. pause: the model pauses before it continues. redirects: redirect addresses of citations fail.
FAULTS: Final = (
    *("none", "access", "quota", "down", "partial", "refuse", "long"),
    *("search_error", "unsearched", "pause", "redirects"),
)
RETRY_AFTER_SECONDS: Final = 20
PROVIDERS: Final = ("openai", "anthropic", "gemini", "perplexity")
_KEPT: Final = 2_000
_OF_PROVIDER: Final = re.compile(rf"({'|'.join(PROVIDERS)})_(API_KEY|BASE_URL)", re.IGNORECASE).fullmatch
_REDIRECT: Final = "/grounding-api-redirect/"
_GEMINI: Final = re.compile(r"/v1beta/models/([\w.-]+):generateContent")


class Exchange(NamedTuple):
    """One request: its provider, its headers (names in lower case) and its body."""

    provider: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Assistants(Standin):
    """A stand-in for the AI assistants, as an HTTP server on a free port. It runs from its creation until ``stop``.

    - ``exchanges``: the last requests, oldest first.
    - ``most_at_once``: the most requests that were answered at the same time.
    - ``delay``: seconds that each answer takes.
    - ``brands``: the brands that its searches find.
    """

    name = "assistants"
    called = "the assistants"
    faults = FAULTS
    methods = ("HEAD", "POST")

    def __init__(self) -> None:
        self.delay = 0.0
        self.brands: tuple[Brand, ...] = BRANDS
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self.exchanges: deque[Exchange] = deque(maxlen=_KEPT)
        super().__init__()

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that connect the service to this stand-in, for each provider that has no setting in
        ``given``.

        If ``given`` does not have the setting ASSISTANT, one of these providers also drafts texts.
        """
        connected = {name.partition("_")[0].lower() for name, value in given.items() if value and _OF_PROVIDER(name)}
        free = [name for name in PROVIDERS if name not in connected]
        found = {f"{name.upper()}_BASE_URL": self.url for name in free}
        found |= {f"{name.upper()}_API_KEY": KEY for name in free}
        if free and not given.get("ASSISTANT"):
            found["ASSISTANT"] = free[0]
        return found

    def begin(self) -> None:
        """Count a request in progress."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        if self.delay:
            time.sleep(self.delay)

    def end(self) -> None:
        """Count a request as ended."""
        with self._lock:
            self._at_once -= 1

    def redirect(self, url: str) -> str:
        """Return an address of the stand-in that redirects to ``url``."""
        return f"{self.url}{_REDIRECT}{base64.urlsafe_b64encode(url.encode()).decode()}"

    def respond(self, request: Request) -> Answer:
        if request.method == "HEAD":
            return self._redirected(request.path)
        self.begin()
        try:
            return self._answered(request)
        finally:
            # Counted before the answer is sent, because the client may send its next request at once.
            self.end()

    def _redirected(self, path: str) -> Answer:
        if not path.startswith(_REDIRECT) or self.fault == "redirects":
            return Answer(404)
        return Answer(302, headers={"Location": base64.urlsafe_b64decode(path.removeprefix(_REDIRECT)).decode()})

    def _answered(self, request: Request) -> Answer:
        headers = request.lower_headers()
        dialect = _dialect(request.path)
        if dialect is None:
            return self.json_answer(404, {"error": {"message": "Not Found"}})
        body = request.json()
        if not isinstance(body, dict):
            return self.json_answer(400, dialect.error(400, "invalid_request_error", "The body is no JSON object"))
        self.exchanges.append(Exchange(dialect.provider, request.path, headers, body))
        if self.fault == "access" or not dialect.knows(headers, KEY):
            return self.json_answer(*dialect.no_access(headers))
        if self.fault == "quota":
            error = dialect.error(429, "rate_limit_error", "Too many requests")
            return self.json_answer(429, error, {"Retry-After": str(RETRY_AFTER_SECONDS)})
        if self.fault == "down":
            error = dialect.error(dialect.down, "overloaded_error", "The service is overloaded")
            return self.json_answer(dialect.down, error)
        if (missing := dialect.missing(headers, body)) is not None:
            return self.json_answer(400, dialect.error(400, "invalid_request_error", f"{missing} is missing"))
        content = dialect.answer(body, request.path, self.fault, self)
        return self.json_answer(200, content, broken=self.fault == "partial")


# -- the wire format of each provider ------------------------------------------------------------------------


class _Dialect:
    """OpenAI's wire format, and the parts that other providers share with it."""

    provider = "openai"
    down = 503
    needs: tuple[str, ...] = ("model", "input")

    def knows(self, headers: Mapping[str, str], key: str) -> bool:
        return headers.get("authorization") == f"Bearer {key}"

    def missing(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> str | None:
        return next((name for name in self.needs if not body.get(name)), None)

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}

    def no_access(self, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        # The real service repeats the given key, with its middle hidden.
        given = headers.get("authorization", "").removeprefix("Bearer ")
        words = f"Incorrect API key provided: {given[:8]}***{given[-4:]}."
        return 401, self.error(401, "invalid_request_error", words)

    def prompt(self, body: Mapping[str, Any]) -> str:
        return str(body["input"])

    def answer(self, body: Mapping[str, Any], path: str, fault: str, standin: Assistants) -> dict[str, Any]:
        found = search(self.prompt(body), self.provider, standin.brands) if body.get("tools") else None
        output: list[dict[str, Any]] = [{"id": "rs_standin", "type": "reasoning", "summary": []}]
        text = written(self.prompt(body))
        notes: list[dict[str, Any]] = []
        if found is not None:
            if fault != "unsearched":
                output.append(_web_search_call(found, failed=fault == "search_error"))
            text, notes = _with_links(found)
        part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": notes}
        if fault == "refuse":
            part = {"type": "refusal", "refusal": "I cannot help with that."}
        message = {"id": "msg_standin", "type": "message", "role": "assistant", "status": "completed"}
        return {
            "id": "resp_standin",
            "object": "response",
            "created_at": 1_764_000_000,
            "status": "incomplete" if fault == "long" else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if fault == "long" else None,
            "error": None,
            "model": f"{body['model']}-stand-in",
            "parallel_tool_calls": True,
            "tool_choice": body.get("tool_choice", "auto"),
            "tools": body.get("tools", []),
            "output": [*output, {**message, "content": [part]}],
        }


def _web_search_call(found: Found, *, failed: bool) -> dict[str, Any]:
    sources = [{"type": "url", "url": page.url} for page in found.pages]
    action = {"type": "search", "query": found.query, "sources": sources}
    return {
        "id": "ws_standin",
        "type": "web_search_call",
        "status": "failed" if failed else "completed",
        "action": action,
    }


def _with_links(found: Found) -> tuple[str, list[dict[str, Any]]]:
    """Write the text with a link after each part that cites a page.

    Returns it with the positions of the links (annotations).
    """
    text, notes = "", []
    for words, number in found.parts:
        text += words
        if number is not None:
            page = found.pages[number]
            url = f"{page.url}?utm_source=openai"
            link = f" ([{page.host}]({url}))"
            start = len(text) + 1
            text += link
            note = {
                "type": "url_citation",
                "url": url,
                "title": page.title,
                "start_index": start,
                "end_index": len(text),
            }
            notes.append(note)
        text += "\n"
    return text, notes


class _Anthropic(_Dialect):
    provider = "anthropic"
    down = 529
    needs = ("model", "max_tokens", "messages")

    def knows(self, headers: Mapping[str, str], key: str) -> bool:
        return headers.get("x-api-key") == key

    def missing(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> str | None:
        return super().missing(headers, body) if "anthropic-version" in headers else "anthropic-version"

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_standin"}

    def no_access(self, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        return 401, self.error(401, "authentication_error", "invalid x-api-key")

    def prompt(self, body: Mapping[str, Any]) -> str:
        return str(body["messages"][0]["content"])

    def answer(self, body: Mapping[str, Any], path: str, fault: str, standin: Assistants) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": written(self.prompt(body))}]
        stop = {"refuse": "refusal", "long": "max_tokens"}.get(fault, "end_turn")
        if body.get("tools"):
            found = search(self.prompt(body), self.provider, standin.brands)
            searched = [] if fault == "unsearched" else _searched(found, failed=fault == "search_error")
            said = _cited_parts(found)
            if fault == "pause" and len(body["messages"]) == 1:
                content, stop = searched, "pause_turn"
            else:
                content = said if len(body["messages"]) > 1 else [*searched, *said]
        return {
            "id": "msg_standin",
            "type": "message",
            "role": "assistant",
            "model": f"{body['model']}-stand-in",
            "content": [] if fault == "refuse" else content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }


def _searched(found: Found, *, failed: bool) -> list[dict[str, Any]]:
    results: Any = [
        {
            "type": "web_search_result",
            "url": page.url,
            "title": page.title,
            "encrypted_content": "c3RhbmQtaW4=",
            "page_age": None,
        }
        for page in found.pages
    ]
    if failed:
        results = {"type": "web_search_tool_result_error", "error_code": "too_many_requests"}
    use = {"type": "server_tool_use", "id": "srvtoolu_standin", "name": "web_search", "input": {"query": found.query}}
    return [use, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_standin", "content": results}]


def _cited_parts(found: Found) -> list[dict[str, Any]]:
    parts = []
    for words, number in found.parts:
        part: dict[str, Any] = {"type": "text", "text": f"{words}\n"}
        if number is not None:
            page = found.pages[number]
            location = {"type": "web_search_result_location", "url": page.url, "title": page.title}
            part["citations"] = [{**location, "cited_text": words[:150], "encrypted_index": "c3RhbmQtaW4="}]
        parts.append(part)
    return parts


class _Gemini(_Dialect):
    provider = "gemini"
    needs = ("contents",)

    def knows(self, headers: Mapping[str, str], key: str) -> bool:
        return headers.get("x-goog-api-key") == key

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        named = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[status]
        return {"error": {"code": status, "message": message, "status": named}}

    def no_access(self, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        answer = self.error(400, "", "API key not valid. Please pass a valid API key.")
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        answer["error"]["details"] = [{"@type": kind, "reason": "API_KEY_INVALID", "domain": "googleapis.com"}]
        return 400, answer

    def prompt(self, body: Mapping[str, Any]) -> str:
        return str(body["contents"][-1]["parts"][0]["text"])

    def answer(self, body: Mapping[str, Any], path: str, fault: str, standin: Assistants) -> dict[str, Any]:
        match = _GEMINI.fullmatch(path)
        assert match is not None
        served = {"modelVersion": f"{match[1]}-stand-in", "responseId": "standin"}
        if fault == "refuse":
            return {"promptFeedback": {"blockReason": "SAFETY"}, **served}
        text, grounding = written(self.prompt(body)), None
        if body.get("tools"):
            found = search(self.prompt(body), self.provider, standin.brands)
            text = "".join(f"{words}\n" for words, _ in found.parts)
            # A failed search leaves no trace in the answer: the model answers without it.
            grounding = None if fault in ("unsearched", "search_error") else _grounding(found, standin)
        parts = [{"text": "First I look at the facts.", "thought": True}, {"text": text}]
        candidate: dict[str, Any] = {
            "content": {"role": "model", "parts": parts},
            "finishReason": "MAX_TOKENS" if fault == "long" else "STOP",
            "index": 0,
        }
        if grounding is not None:
            candidate["groundingMetadata"] = grounding
        return {"candidates": [candidate], **served}


def _grounding(found: Found, standin: Assistants) -> dict[str, Any]:
    supports, start = [], 0
    for words, number in found.parts:
        end = start + len(words.encode())
        if number is not None:
            segment = {"startIndex": start, "endIndex": end, "text": words}
            supports.append({"segment": segment, "groundingChunkIndices": [number]})
        start = end + 1
    return {
        "webSearchQueries": [found.query],
        "groundingChunks": [{"web": {"uri": standin.redirect(page.url), "title": page.host}} for page in found.pages],
        "groundingSupports": supports,
    }


class _Perplexity(_Dialect):
    provider = "perplexity"

    def answer(self, body: Mapping[str, Any], path: str, fault: str, standin: Assistants) -> dict[str, Any]:
        output: list[dict[str, Any]] = []
        text = "" if fault == "refuse" else written(self.prompt(body))
        if body.get("tools") and fault != "refuse":
            found = search(self.prompt(body), self.provider, standin.brands)
            if fault not in ("unsearched", "search_error"):
                results = [
                    {"id": number, "url": page.url, "title": page.title, "snippet": page.title, "source": "web"}
                    for number, page in enumerate(found.pages, 1)
                ]
                output.append({"type": "search_results", "results": results, "queries": [found.query]})
            marks = ["" if number is None else f" [{number + 1}]" for _, number in found.parts]
            text = "".join(f"{words}{mark}\n" for (words, _), mark in zip(found.parts, marks, strict=True))
        part = {"type": "output_text", "text": text, "annotations": []}
        message = {"id": "msg_standin", "type": "message", "role": "assistant", "status": "completed"}
        return {
            "id": "resp_standin",
            "object": "response",
            "created_at": 1_764_000_000,
            "status": "incomplete" if fault == "long" else "completed",
            "model": f"{body['model']}-stand-in",
            "output": [*output, {**message, "content": [part]}],
        }


def _dialect(path: str) -> _Dialect | None:
    if _GEMINI.fullmatch(path):
        return _Gemini()
    found = {"/v1/responses": _Dialect, "/v1/messages": _Anthropic, "/v1/agent": _Perplexity}.get(path)
    return None if found is None else found()


def written(prompt: str) -> str:
    """Answer a prompt with a text that repeats the facts in the prompt."""
    data = re.search(r"^<data>\n(.+)\n</data>$", prompt, re.MULTILINE)
    facts = {} if data is None else json.loads(data[1])
    if "paragraphs" in facts:
        return _description(facts["paragraphs"])
    honest = "No AI model was asked: this is the stand-in of the local service."
    title = re.search(r"^Finding: (.+) \(", prompt, re.MULTILINE)
    if title is None or data is None:
        return honest
    told = [honest]
    told.append(
        f"On {facts['website']}, {facts['affectedPages']} of {facts['applicablePages']} show the finding “{title[1]}”."
    )
    if facts["examples"]:
        first = facts["examples"][0]
        told.append(f"Begin with {first['address']}: {first['seen'].get('message', '')}".strip())
    return " ".join(told)


def _description(paragraphs: list[str]) -> str:
    """Draft a description: the page's first sentence of 70 to 155 characters."""
    sentences = re.findall(r"[^.!?]+[.!?]", " ".join(paragraphs))
    text = next((one.strip() for one in sentences if 70 <= len(one.strip()) <= 155), None)
    return "NONE" if text is None else json.dumps({"description": text}, ensure_ascii=False)
