"""Runs the speed tests of ``make run``, before and after the audit.

Before the audit, it tests pages of the demo website for speed and Agentic browsing, three times each, so that the audit
can use medians. It also fetches field data. After the audit it starts the week's tests, which otherwise run on
Saturdays.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from rich.console import Console

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.inputs import LEAST_RUNS
from chalicelib.domain.speed.budget import MOST_WAITING
from chalicelib.operations import speed
from chalicelib.rules.registry import BY_ID
from local.demo.faults import FAULTS
from local.report import Api, ApiRefusal, Interrupted, paces
from local.service import Service

SECONDS: Final = 60.0  # the longest wait; then the audit continues without the tests


def faulty_pages() -> set[str]:
    """Return the paths of the demo website's pages that must get findings based on speed tests."""
    found: set[str] = set()
    for rule_id, affected in FAULTS.items():
        if judges_by_tests(rule_id) and not isinstance(affected, str):
            found |= affected
    return found


def judges_by_tests(rule_id: str) -> bool:
    """Whether the rule needs the results of speed tests."""
    return rule_id in BY_ID and not {"agentic", "speed"}.isdisjoint(BY_ID[rule_id].needs)


class SpeedTests:
    """Runs the demo website's speed tests.

    ``stopped(seconds)`` waits, and returns True if the user stopped the service meanwhile.
    """

    def __init__(self, console: Console, service: Service, stopped: Callable[[float], bool]) -> None:
        self._console, self._service, self._stopped = console, service, stopped
        self._api = Api(service.base_url, service.tenant.workspace_key)
        self._site = f"/sites/{service.tenant.site_id}"

    def before_audit(self) -> None:
        """Run the tests and wait for them. Skips pages that cannot be tested. Raises ``Interrupted``."""
        speed.begin_collecting(OPERATOR, self._service.tenant.site_id)
        home, until = self._service.site_url, time.monotonic() + SECONDS
        pages = [home, *(home.rstrip("/") + path for path in sorted(faulty_pages()))]
        made = 0
        for _ in range(LEAST_RUNS):
            for start in range(0, len(pages), MOST_WAITING):
                made += self._made(pages[start : start + MOST_WAITING], until)
        self._console.print(f"speed tests: {made} of {LEAST_RUNS * len(pages)} made", highlight=False)

    def after_audit(self) -> None:
        """Start the week's tests without waiting for them."""
        speed.begin_tests(OPERATOR, self._service.tenant.site_id, None)

    def _made(self, pages: Sequence[str], until: float) -> int:
        """Test pages. Returns how many were tested."""
        runs = [run for url in pages if (run := self._asked(url)) is not None]
        done = 0
        for seconds in paces():
            states = [self._api.call("GET", f"{self._site}/agentic/runs/{run}")["status"] for run in runs]
            done = states.count("done")
            if all(state in ("done", "failed") for state in states) or time.monotonic() >= until:
                break
            if self._stopped(seconds):
                raise Interrupted
        return done

    def _asked(self, url: str) -> str | None:
        try:
            answer: dict[str, Any] = self._api.call("POST", f"{self._site}/agentic/run", {"url": url})
        except ApiRefusal:
            return None  # an earlier start with STATE used up the day's tests
        return str(answer["jobId"])
