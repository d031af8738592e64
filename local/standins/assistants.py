"""A stand-in for the four AI assistants: each under its own paths, with its own checks, answers and errors.

What it writes follows from the prompt alone, and says that no model was asked.
"""

import json
import re
from collections import deque
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, NamedTuple

from host.loopback import LoopbackServer

KEY: Final = "stand-in-key"
# access: the key is refused; quota: too many requests; down: out of order; partial: the answer breaks off half-way;
# refuse: the model declines; long: the model does not come to an end.
FAULTS: Final = ("none", "access", "quota", "down", "partial", "refuse", "long")
RETRY_AFTER_SECONDS: Final = 20
PROVIDERS: Final = ("openai", "anthropic", "gemini", "perplexity")
_KEPT: Final = 100
_OF_PROVIDER: Final = re.compile(rf"({'|'.join(PROVIDERS)})_(API_KEY|BASE_URL)", re.IGNORECASE).fullmatch
_GEMINI: Final = re.compile(r"/v1beta/models/([\w.-]+):generateContent")


class Exchange(NamedTuple):
    """One request that came: who it was for, its headers (names in lower case) and its body."""

    provider: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Assistants:
    """The stand-in on a free port, from its making to ``stop``. ``exchanges``: the last requests, oldest first."""

    def __init__(self) -> None:
        self.fault = "none"
        self.exchanges: deque[Exchange] = deque(maxlen=_KEPT)
        self._server = LoopbackServer(type("Handler", (_Handler,), {"standin": self}))
        self._server.start("assistants")
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def misbehave(self, fault: str) -> None:
        """Fail in this way from now on; ``none``: answer again. Raises ``ValueError`` for a fault it does not know."""
        if fault not in FAULTS:
            raise ValueError(f"{fault!r} is no fault of the assistants; there are {', '.join(FAULTS)}")
        self.fault = fault

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """The settings that lead here, for every provider of which none is ``given``, and for who drafts."""
        connected = {name.partition("_")[0].lower() for name, value in given.items() if value and _OF_PROVIDER(name)}
        free = [name for name in PROVIDERS if name not in connected]
        found = {f"{name.upper()}_BASE_URL": self.url for name in free}
        found |= {f"{name.upper()}_API_KEY": KEY for name in free}
        if free and not given.get("ASSISTANT"):
            found["ASSISTANT"] = free[0]
        return found

    def stop(self) -> None:
        """Takes no more requests."""
        self._server.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    standin: Assistants

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        dialect = _dialect(self.path)
        if dialect is None:
            self._send(404, {"error": {"message": "Not Found"}})
            return
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self._send(400, dialect.error(400, "invalid_request_error", "The body is no JSON object"))
            return
        self.standin.exchanges.append(Exchange(dialect.provider, self.path, headers, body))
        fault = self.standin.fault
        if fault == "access" or not dialect.knows(headers, KEY):
            self._send(*dialect.no_access(headers))
        elif fault == "quota":
            self._send(
                429, dialect.error(429, "rate_limit_error", "Too many requests"), retry_after=RETRY_AFTER_SECONDS
            )
        elif fault == "down":
            self._send(dialect.down, dialect.error(dialect.down, "overloaded_error", "The service is overloaded"))
        elif (missing := dialect.missing(headers, body)) is not None:
            self._send(400, dialect.error(400, "invalid_request_error", f"{missing} is missing"))
        else:
            answer = dialect.answer(body, self.path, fault)
            self._send(200, answer, broken=fault == "partial")

    def _send(
        self, status: int, content: dict[str, Any], *, retry_after: int | None = None, broken: bool = False
    ) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.end_headers()
        if broken:
            self.close_connection = True
            body = body[: len(body) // 2]
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what comes is kept."""


# -- what each provider says in its own way ------------------------------------------------------------------


class _Dialect:
    """OpenAI's way, and what the others share with it."""

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
        # The real one repeats the key that it was given, with its middle hidden.
        given = headers.get("authorization", "").removeprefix("Bearer ")
        words = f"Incorrect API key provided: {given[:8]}***{given[-4:]}."
        return 401, self.error(401, "invalid_request_error", words)

    def answer(self, body: Mapping[str, Any], path: str, fault: str) -> dict[str, Any]:
        part: dict[str, Any] = {"type": "output_text", "text": written(body["input"]), "annotations": []}
        if fault == "refuse":
            part = {"type": "refusal", "refusal": "I cannot help with that."}
        return {
            "id": "resp_standin",
            "object": "response",
            "status": "incomplete" if fault == "long" else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if fault == "long" else None,
            "error": None,
            "model": f"{body['model']}-stand-in",
            "output": [
                {"id": "rs_standin", "type": "reasoning", "summary": []},
                {"id": "msg_standin", "type": "message", "role": "assistant", "content": [part]},
            ],
        }


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

    def answer(self, body: Mapping[str, Any], path: str, fault: str) -> dict[str, Any]:
        content = [{"type": "text", "text": written(body["messages"][-1]["content"])}]
        return {
            "id": "msg_standin",
            "type": "message",
            "role": "assistant",
            "model": f"{body['model']}-stand-in",
            "content": [] if fault == "refuse" else content,
            "stop_reason": {"refuse": "refusal", "long": "max_tokens"}.get(fault, "end_turn"),
        }


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

    def answer(self, body: Mapping[str, Any], path: str, fault: str) -> dict[str, Any]:
        match = _GEMINI.fullmatch(path)
        assert match is not None
        served = {"modelVersion": f"{match[1]}-stand-in", "responseId": "standin"}
        if fault == "refuse":
            return {"promptFeedback": {"blockReason": "SAFETY"}, **served}
        text = written(body["contents"][-1]["parts"][0]["text"])
        parts = [{"text": "First I look at the facts.", "thought": True}, {"text": text}]
        candidate = {
            "content": {"role": "model", "parts": parts},
            "finishReason": "MAX_TOKENS" if fault == "long" else "STOP",
            "index": 0,
        }
        return {"candidates": [candidate], **served}


class _Perplexity(_Dialect):
    provider = "perplexity"
    needs = ("model", "messages")

    def answer(self, body: Mapping[str, Any], path: str, fault: str) -> dict[str, Any]:
        text = "" if fault == "refuse" else written(body["messages"][-1]["content"])
        choice = {
            "index": 0,
            "finish_reason": "length" if fault == "long" else "stop",
            "message": {"role": "assistant", "content": text},
        }
        return {"id": "standin", "model": f"{body['model']}-stand-in", "object": "chat.completion", "choices": [choice]}


def _dialect(path: str) -> _Dialect | None:
    if _GEMINI.fullmatch(path):
        return _Gemini()
    found = {"/v1/responses": _Dialect, "/v1/messages": _Anthropic, "/chat/completions": _Perplexity}.get(path)
    return None if found is None else found()


def written(prompt: str) -> str:
    """What the stand-in writes to a prompt: the facts that it finds in it, told again."""
    honest = "No AI model was asked: this is the stand-in of the local service."
    title = re.search(r"^Finding: (.+) \(", prompt, re.MULTILINE)
    data = re.search(r"^<data>\n(.+)\n</data>$", prompt, re.MULTILINE)
    if title is None or data is None:
        return honest
    facts = json.loads(data[1])
    told = [honest]
    told.append(
        f"On {facts['website']}, {facts['affectedPages']} of {facts['applicablePages']} show the finding “{title[1]}”."
    )
    if facts["examples"]:
        first = facts["examples"][0]
        told.append(f"Begin with {first['address']}: {first['seen'].get('message', '')}".strip())
    return " ".join(told)
