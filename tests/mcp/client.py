"""A client of POST /mcp in this process, over the gateway of the API's tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chalicelib.mcp.protocol import HANDSHAKE
from tests.api.client import Received, send

PATH = "/mcp"


@dataclass(frozen=True)
class Called:
    """What a tool answered: its text, and whether it is a refusal."""

    text: str
    refused: bool

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def error(self) -> dict[str, Any]:
        assert self.refused, self.text
        found: dict[str, Any] = self.json["error"]
        return found


class Assistant:
    """An assistant that has a key."""

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.received = 0  # bytes of answers

    def post(self, body: bytes | str, **headers: str) -> Received:
        given = {"Content-Type": "application/json", "MCP-Protocol-Version": HANDSHAKE[-1]}
        if self.key is not None:
            given["Authorization"] = f"Bearer {self.key}"
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        found = send("POST", PATH, given, body)
        self.received += len(found.text.encode())
        return found

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        answer = self.post(json.dumps(body))
        assert answer.status == 200, answer.text
        found: dict[str, Any] = answer.json
        return found

    def tools(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.request("tools/list")["result"]["tools"]
        return found

    def call(self, name: str, **arguments: Any) -> Called:
        result = self.request("tools/call", {"name": name, "arguments": arguments})["result"]
        (content,) = result["content"]
        return Called(content["text"], result["isError"])

    def read(self, name: str, **arguments: Any) -> Any:
        """The answer of a tool that does not refuse."""
        called = self.call(name, **arguments)
        assert not called.refused, called.text
        return called.json
