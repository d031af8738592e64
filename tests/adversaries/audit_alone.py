"""Audits one website in a process of its own and prints what that took, as JSON: ``python -m … URL PAGE_BUDGET``."""

import json
import os
import resource
import sys

from botocore.client import BaseClient

from bench.measure import peak_megabytes
from tests import aws
from tests.adversaries.shares import Spent


def main() -> None:
    url, page_budget = sys.argv[1], int(sys.argv[2])
    os.environ.update(ALLOW_ADDRESSES="127.0.0.0/8", LOG_LEVEL="CRITICAL")
    from chalicelib import clock
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.domain.crawl import frontier, robots
    from chalicelib.operations import accounts, audits, websites
    from chalicelib.store import crawls, pages
    from chalicelib.workers.audit import crawl, slices
    from local import embedded

    class Runtime:
        def get_remaining_time_in_millis(self) -> int:
            return 900_000

    spent = Spent()
    spent.watch("frontier", frontier.Frontier, "add", "take", "untake", "pending_steps", "committed", "replay")
    spent.watch("frontier", slices.Slice, "addresses")
    spent.watch("verdicts", robots.Robots, "verdict", "crawl_delay")
    spent.watch("robots.txt", robots, "parse")
    spent.watch("store", BaseClient, "_make_api_call")

    with embedded.running():
        workspace = accounts.create_workspace(OPERATOR, "Adversaries", "enterprise")
        website = websites.add(OPERATOR, workspace.id, url)
        before = _cpu()
        header = audits.start(
            website, 10_000, page_budget=page_budget, person_id=None, through_api=False, now=clock.now()
        ).header
        while not header.ended:
            for lane, handle in (("crawl", crawl.handle), ("crawl-slow", crawl.handle_slow)):
                if (message := aws.next_message(lane)) is not None:
                    handle(message, Runtime())
            found = crawls.get(website.id, header.id)
            assert found is not None
            header = found
        cpu = [now - then for now, then in zip(_cpu(), before, strict=True)]
        rows = pages.load_list(website.id, header.id) if header.status == "done" else []
        hard = [
            facts.url
            for _, block in crawls.load_facts(header.id)
            for facts in block
            if facts.error in ("too_hard", "unreadable")
        ]
        result = {
            "status": header.status,
            "error": header.error,
            "partialReason": header.partial_reason,
            "claims": header.fence,
            "seconds": (header.finished_at or 0.0) - (header.started_at or 0.0),
            "cpu": cpu[0],
            "cpuOfChildren": cpu[1],
            "megabytes": peak_megabytes(),
            "tooHard": hard,
            "rules": {row.url.split("/", 3)[3]: row.rules for row in rows},
            "discovered": header.pages_discovered,
            "spent": {**spent.net(), "measuring": spent.measuring()},
            "calls": spent.calls,
        }
    sys.stdout.write(json.dumps(result))


def _cpu() -> tuple[float, float]:
    """Processor seconds of this process and of the children that it has waited for."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own, children = (used.ru_utime + used.ru_stime for used in usage)
    return own, children


if __name__ == "__main__":
    main()
