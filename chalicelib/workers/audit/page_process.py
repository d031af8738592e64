"""Reads the HTML of one answer: in this process with ``fill``, or in a separate process if the page may be dangerous.

``python -m chalicelib.workers.audit.page_process`` reads one ``Job`` from its standard input, writes the facts to its
standard output and ends. The system limits the process's processor time and memory. The process gets no environment
variables of its parent. So the process that parses a hostile page knows no key or address of the service.
"""

import contextlib
import resource
import sys
from collections.abc import Mapping
from typing import Final

import msgspec

from chalicelib import typed
from chalicelib.domain.crawl.urls import LinkResolver
from chalicelib.domain.page import charset
from chalicelib.domain.page.extract import read_page
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.head import read_head

CPU_SECONDS: Final = 5
MEMORY_BYTES: Final = 448 * 1024 * 1024  # limit of address space; Python and its libraries already take a part of it


class Job(msgspec.Struct, array_like=True):
    """One answer to read. ``headers``: names in lower case. ``host``: the website's host, as ``urls.host_key`` returns
    it."""

    facts: PageFacts  # the facts about the request, such as the status
    body: bytes
    headers: dict[str, str]
    host: str


def fill(facts: PageFacts, body: bytes, headers: Mapping[str, str], host: str) -> None:
    """Fill the page's content into the facts of an answer."""
    text, facts.charset, facts.charset_source = charset.decode(body, headers.get("content-type"))
    read_page(facts, text, headers=headers, host=host, resolver=LinkResolver(facts.asked or facts.url))


def fill_head(facts: PageFacts, body: bytes, headers: Mapping[str, str], host: str) -> None:
    """Fill only the content of the page's head into the facts of an answer."""
    text, facts.charset, facts.charset_source = charset.decode(body, headers.get("content-type"))
    read_head(facts, text, headers=headers, resolver=LinkResolver(facts.asked or facts.url))


def main() -> None:
    """Read one job from standard input, and write its facts. The system ends a process that uses too much time or
    memory."""
    with contextlib.suppress(ValueError, OSError):  # not every system limits the address space
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    job = typed.from_msgpack(sys.stdin.buffer.read(), Job)
    fill(job.facts, job.body, job.headers, job.host)
    sys.stdout.buffer.write(msgspec.msgpack.encode(job.facts))


if __name__ == "__main__":
    main()
