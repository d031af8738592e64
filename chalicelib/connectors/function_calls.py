"""Calls a Lambda function of this deployment over Invoke, exactly once. Every failure becomes one of the five errors,
with a message.

The result of an interrupted call is unknown, so nothing is retried here.
"""

import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec

from chalicelib.connectors.answers import decoded, in_one_line
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable

_CONNECT_SECONDS: Final = 3
# Lambda's refusals with an error other than ``Unavailable``, most of them because a retry would not help.
_REFUSED: Final[Mapping[str, tuple[type[OutsideError], str]]] = {
    "TooManyRequestsException": (Quota, "{words} accepts no more calls for now; try again later."),
    "ResourceNotFoundException": (NotConnected, "{variable} names a function that does not exist."),
    "AccessDeniedException": (NoAccess, "{words} does not allow calls from this service."),
    "RequestTooLargeException": (Declined, "{words} does not accept a call of this size."),
}
_NOT_CALLED: Final = "{words} could not be called."

_lock = threading.Lock()
_clients: dict[tuple[float, int], Any] = {}

Wire = TypeVar("Wire", bound=msgspec.Struct)


class Problem(msgspec.Struct, rename={"kind": "errorType", "message": "errorMessage"}):
    """Lambda's answer if the function itself failed."""

    kind: str = ""
    message: str = ""


@dataclass(slots=True)
class Callee:
    """A Lambda function to call.

    - ``words``: the function's name in error messages.
    - ``variable``: the setting that has the function's name.
    - ``seconds``: how long to wait for an answer.
    - ``at_once``: how many calls this process may make at the same time.
    """

    words: str
    variable: str
    seconds: float
    at_once: int

    def call(self, name: str, asked: msgspec.Struct, wire: type[Wire]) -> Wire:
        """Call the function of this name, and return its answer. Raises ``OutsideError``."""
        body = self._invoke(name, msgspec.json.encode(asked))
        try:
            return decoded(body, wire)
        except ValueError:
            raise self.unreadable() from None

    def unreadable(self) -> Unavailable:
        """Make the error for an invalid answer."""
        return Unavailable(f"{self.words} gave an answer that cannot be read.")

    def _invoke(self, name: str, payload: bytes) -> bytes:
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

        try:
            reply = self._lambda().invoke(FunctionName=name, InvocationType="RequestResponse", Payload=payload)
            with closing(reply["Payload"]) as stream:
                body: bytes = stream.read()
        except ClientError as error:
            kind, said = _REFUSED.get(error.response.get("Error", {}).get("Code", ""), (Unavailable, _NOT_CALLED))
            raise kind(said.format(words=self.words, variable=self.variable)) from None
        except (HTTPClientError, OSError):
            raise Unavailable(f"{self.words} did not answer in time.") from None
        except BotoCoreError:
            raise Unavailable(_NOT_CALLED.format(words=self.words)) from None
        if reply.get("FunctionError"):
            raise Unavailable(self._broke_off(body))
        return body

    def _broke_off(self, body: bytes) -> str:
        """Return Lambda's description of why a function failed."""
        try:
            problem = decoded(body, Problem)
        except ValueError:
            problem = Problem()
        if "ResponseSizeTooLarge" in problem.kind:
            return f"{self.words} has a result that is too large to return."
        if "timed out" in problem.message.lower():
            return f"{self.words} did not finish within its time limit."
        said = in_one_line(problem.message, ()) if problem.message else "no reason given"
        return f"{self.words} broke off: {said.rstrip('.')}."

    def _lambda(self) -> Any:
        """Return the process's Lambda client whose time limit fits this function."""
        key = self.seconds, self.at_once
        with _lock:
            if key not in _clients:
                import botocore.session
                from botocore.config import Config

                config = Config(
                    connect_timeout=_CONNECT_SECONDS,
                    read_timeout=self.seconds,
                    retries={"total_max_attempts": 1, "mode": "standard"},
                    max_pool_connections=self.at_once,
                    tcp_keepalive=True,  # no data may arrive for minutes
                )
                _clients[key] = botocore.session.get_session().create_client("lambda", config=config)
            return _clients[key]


def reset() -> None:
    """Drop the clients. The next call creates a new client, for example for another endpoint."""
    with _lock:
        _clients.clear()
