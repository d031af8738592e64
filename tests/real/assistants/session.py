"""What an assistant does in one session, through an official SDK: list, worst action, review, apply with confirmation,
follow, verify.

Run with the address, the key and a mode: ``before`` (SDK 1.x), or ``auto``, ``legacy``, ``2026-07-28`` (SDK 2.x).
Prints a JSON object: the protocol's version, the bytes of all answers and of the list of tools, and what was seen at
each step.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

FOLLOW_SECONDS = 240.0
Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


class Measured:
    """The bytes of what the server answered."""

    def __init__(self) -> None:
        self.bytes = 0

    async def add(self, response: Any) -> None:
        self.bytes += len(await response.aread())


@asynccontextmanager
async def connected(url: str, key: str, mode: str, measured: Measured) -> AsyncIterator[tuple[str, Any]]:
    """The version that was agreed on, and the client."""
    given = {"headers": {"Authorization": f"Bearer {key}"}, "event_hooks": {"response": [measured.add]}, "timeout": 60}
    # Of an environment of its own: this project declares none of them.
    sdk, transport = import_module("mcp"), import_module("mcp.client.streamable_http").streamable_http_client
    if mode == "before":
        async with (
            import_module("httpx").AsyncClient(**given) as http,
            transport(url, http_client=http) as (read, write, _),
            sdk.ClientSession(read, write) as session,
        ):
            agreed = await session.initialize()
            yield str(agreed.protocolVersion), session
        return
    async with (
        import_module("httpx2").AsyncClient(**given) as http,
        sdk.Client(transport(url, http_client=http), mode=mode) as client,
    ):
        yield client.protocol_version, client


async def main() -> None:
    url, key, mode = sys.argv[1:4]
    measured = Measured()
    async with connected(url, key, mode, measured) as (version, client):
        before = measured.bytes
        listed = await client.list_tools()
        of_list = measured.bytes - before

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            result = await client.call_tool(name, arguments)
            found = json.loads(result.content[0].text)
            refused = getattr(result, "isError", None) or getattr(result, "is_error", None)
            return {"refused": found["error"]["code"]} if refused else found

        seen = {"tools": [tool.name for tool in listed.tools], "listBytes": of_list, **await session(call)}
    sys.stdout.write(json.dumps({"version": version, "bytes": measured.bytes, **seen}))


async def session(call: Call) -> dict[str, Any]:
    """The steps, and what was seen."""
    site = (await call("list_sites", {}))["websites"][0]
    about = {"siteId": site["id"]}
    actions = (await call("list_actions", about))["actions"]
    chosen, issue = await writable(call, about, actions)
    values = [one for one in issue["suggestions"] if one["writable"] and one.get("suggested")]
    changes = [{"url": one["url"], "value": one["suggested"]} for one in values]
    change = {**about, "issueId": chosen["issueId"], "changes": changes}
    shown = await call("apply_changes", change)
    wrong = await call("apply_changes", {**change, "confirmToken": "of nothing"})
    written = await call("apply_changes", {**change, "confirmToken": shown["confirmToken"]})
    again = await call("apply_changes", {**change, "confirmToken": shown["confirmToken"]})
    states = await followed(call, {**about, "jobId": written["jobId"]})
    verified = await call("get_issue", {**about, "issueId": chosen["issueId"]})
    return {
        "worst": actions[0]["title"],
        "chosen": chosen["title"],
        "shown": [[one["old"], one["new"]] for one in shown["changes"]],
        "wrongToken": wrong.get("refused"),
        "sameBatch": written["batchId"] == again["batchId"],
        "approved": written["approved"],
        "states": states,
        "status": verified["status"],
        "left": verified["affectedPages"],
        "before": issue["affectedPages"],
    }


async def writable(call: Call, about: dict[str, Any], actions: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first action that suggested values can be written for, and its issue."""
    more = (await call("list_actions", {**about, "cursor": str(len(actions)), "limit": 50}))["actions"]
    for action in [*actions, *more]:
        if action.get("writableField") in ("title", "meta_description") and action["status"] in ("open", "reopened"):
            issue = await call("get_issue", {**about, "issueId": action["issueId"]})
            if any(one["writable"] and one.get("suggested") for one in issue["suggestions"]):
                return action, issue
    raise LookupError("no action can be written")


async def followed(call: Call, job: dict[str, Any]) -> list[str]:
    """The states that the issue passed through until its recheck had ended."""
    states: list[str] = []
    until = time.monotonic() + FOLLOW_SECONDS
    while time.monotonic() < until:
        found = await call("get_job", job)
        if not states or states[-1] != found["status"]:
            states.append(found["status"])
        if found["status"] not in ("in_progress", "recheck_queued"):
            break
        await asyncio.sleep(3)
    return states


asyncio.run(main())
