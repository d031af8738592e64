"""Common parts of the stand-ins of those Google APIs that need an API key: the key, the errors, and the faults."""

from abc import abstractmethod
from collections import deque
from typing import Any, ClassVar, Final, NamedTuple

from local.serving import Answer, Request, Standin

KEY: Final = "stand-in-key"
_KEPT: Final = 100
_STATUS: Final = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class Asked(NamedTuple):
    """One request: its path with the query, its headers (names in lower case) and its body."""

    path: str
    headers: dict[str, str]
    body: bytes


class Misstep(Exception):
    """Raised to answer the request with the error that it describes."""

    def __init__(self, status: int, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class GoogleStandin(Standin):
    """A stand-in for a Google API with an API key, as an HTTP server on a free port. It runs from its creation until
    ``stop``. ``asked``: the last requests, oldest first.

    It has these faults:

    - ``access``: the key is refused.
    - ``quota``: every request is refused, without a time to retry.
    - ``down``: server error.
    - ``partial``: the answer breaks off in the middle.
    """

    faults: ClassVar[tuple[str, ...]] = ("none", "access", "quota", "down", "partial")
    methods = ("GET", "POST")
    json_type = "application/json; charset=UTF-8"

    def __init__(self) -> None:
        self.asked: deque[Asked] = deque(maxlen=_KEPT)
        super().__init__()

    def respond(self, request: Request) -> Answer:
        asked = Asked(request.path, request.lower_headers(), request.body)
        self.asked.append(asked)
        try:
            self._general_faults(asked.headers)
            answer = self.answer(request.method, asked)
        except Misstep as misstep:
            return self.json_answer(misstep.status, _error(misstep))
        return self.json_answer(200, answer, broken=self.fault == "partial")

    def _general_faults(self, headers: dict[str, str]) -> None:
        if self.fault == "access" or headers.get("x-goog-api-key") != KEY:
            raise Misstep(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID")
        if self.fault == "quota":
            raise Misstep(429, "Quota exceeded for quota metric 'Queries' of service.", "RATE_LIMIT_EXCEEDED")
        if self.fault == "down":
            raise Misstep(503, "The service is currently unavailable.")

    @abstractmethod
    def answer(self, method: str, asked: Asked) -> dict[str, Any]:
        """Return the content of an answer with status 200. Raises ``Misstep``."""


def _error(misstep: Misstep) -> dict[str, Any]:
    error: dict[str, Any] = {"code": misstep.status, "message": str(misstep), "status": _STATUS[misstep.status]}
    if misstep.reason:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        error["details"] = [{"@type": kind, "reason": misstep.reason, "domain": "googleapis.com"}]
    return {"error": error}
