"""Reads a page in bounded time, whatever its content.

The time and memory for reading a page grow with its size. But a few hundred kilobytes can keep any parser that follows
the HTML standard busy for minutes. So a page that is very large, or has very many elements, is read in a separate
process, which the system ends after five seconds of processor time. Only one such process runs at a time; other pages
wait. A scan of the page's bytes decides which process reads it. A page that passes the scan takes less than a second
and is read in this process.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from chalicelib import typed
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup_bombs import closing_tags_in, tags_in
from chalicelib.workers.audit.page_process import Job, fill, fill_head

MOST_BYTES: Final = 500_000
MOST_START_TAGS: Final = 10_000
WALL_SECONDS: Final = 60.0  # allows five seconds of processor time on a busy machine

_COMMAND: Final = (sys.executable, "-m", "chalicelib.workers.audit.page_process")
_ROOT: Final = Path(__file__).resolve().parents[3]
_PLACES: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]] = WeakKeyDictionary()
_AT_ONCE: Final = 1  # concurrent processes: each may need as much memory as the rest of the worker


class TooHard(Exception):
    """Raised if reading the page would take more time or memory than a page may use."""


def is_hard(body: bytes) -> bool:
    """Whether a page may take long to read: it is very large, or has very many elements. Scans the bytes twice."""
    if len(body) > MOST_BYTES:
        return True
    tags = tags_in(body)
    return tags > MOST_START_TAGS and tags - closing_tags_in(body) > MOST_START_TAGS


async def read_html(
    facts: PageFacts, body: bytes, headers: Mapping[str, str], host: str, *, head_only: bool = False
) -> PageFacts:
    """Add the page's content to the facts of its answer. Raises ``TooHard``. An exception that occurs while the page is
    read is passed on.

    - ``facts``: the facts about the request, such as the status. After an exception, they may contain a part of the
      content.
    - ``head_only``: whether only the head is needed.
    """
    if not is_hard(body):
        (fill_head if head_only else fill)(facts, body, headers, host)
        return facts
    job = msgspec.msgpack.encode(Job(facts, body, dict(headers), host))
    loop = asyncio.get_running_loop()
    places = _PLACES.setdefault(loop, asyncio.Semaphore(_AT_ONCE))
    async with places:
        return await _in_process(job)


async def _in_process(job: bytes) -> PageFacts:
    process = await asyncio.create_subprocess_exec(
        *_COMMAND,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=_ROOT,
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        async with asyncio.timeout(WALL_SECONDS):
            output, _ = await process.communicate(job)
    except TimeoutError:
        raise TooHard from None
    finally:
        # Also after a cancellation: no process is left running or as a zombie.
        if process.returncode is None:
            process.kill()
            await asyncio.shield(process.wait())
    if process.returncode != 0:
        raise TooHard
    return typed.from_msgpack(output, PageFacts)
