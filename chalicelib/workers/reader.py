"""The function ``reader``: reads a page or file of a website after a write, for the writer, which waits for the answer.

Trigger: a call of the writer over Lambda's Invoke (``connectors.live_reader``). Each call is one reading.

Failure policy: this function stores nothing, sends nothing and holds no secret, so a crash leaves nothing behind. If
the call fails, the writer does not repeat it, and records in the change that the page could not be read. The writer
reads the page again later, like any page that does not show a value yet.
"""

import asyncio
from typing import Any

import msgspec

from chalicelib import typed
from chalicelib.connectors import live_addresses, live_files
from chalicelib.connectors.live_reader import (
    AddressesAnswer,
    AddressesAsked,
    Asked,
    LlmsAnswer,
    LlmsAsked,
    PageAnswer,
    RobotsAnswer,
    RobotsAsked,
)


def handle(event: dict[str, Any]) -> Any:
    """Answer one call. Call and answer consist of JSON values. Raises ``msgspec.ValidationError`` for an invalid
    call."""
    asked: Asked = typed.convert(event, Asked)
    return msgspec.to_builtins(asyncio.run(_read(asked)))


async def _read(asked: Asked) -> PageAnswer | AddressesAnswer | LlmsAnswer | RobotsAnswer:
    if isinstance(asked, LlmsAsked):
        return LlmsAnswer(*await live_files.llms_at(asked.url, asked.nonce))
    if isinstance(asked, AddressesAsked):
        return AddressesAnswer(await live_addresses.asked(asked.urls))
    if isinstance(asked, RobotsAsked):
        return RobotsAnswer(*await live_files.robots_at(asked.url, plain=asked.plain))
    from chalicelib.workers.writing.reading import reader_here  # imports everything that parses pages

    async with reader_here(asked.host) as reader:
        return PageAnswer.of(await reader.page(asked.change, asked.caches, asked.nonce))
