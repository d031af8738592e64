"""The work that a soak starts, round after round: audits, changes, speed tests and imports."""

import time
from contextlib import suppress
from typing import Final, NamedTuple

from bench.soak_clients import Client
from bench.soak_result import Soak

ROUNDS: Final = 2
API_STARTS: Final = 3  # how many audits of a website the API starts in a day
ROUND_SECONDS: Final = 300.0
WORK_SECONDS: Final = 60.0  # how long a round waits for changes, tests and imports beside its audits
POLL_SECONDS: Final = 0.5
CHANGES: Final = 8  # changes in a batch
DESCRIPTION_RULE: Final = "SEO-ONP-010"
UNWRITTEN_PAGES: Final = 20  # enough pages that some still have no description after several rounds
QUEUED: Final = 202


class House(NamedTuple):
    """A workspace with websites, given by their ids and addresses. The first ``with_cms`` websites have a CMS."""

    workspace_id: str
    person_id: str
    sites: list[str]
    urls: list[str]
    with_cms: int
    endpoints: dict[str, str]  # receiver: endpoint's id
    secrets: dict[str, str]

    @property
    def cms_sites(self) -> list[str]:
        return self.sites[: self.with_cms]


class Work:
    """Starts the work of a soak, round after round."""

    def __init__(self, client: Client, house: House, soak: Soak, pages: int, over: float) -> None:
        """``over``: the time (``time.monotonic``) after which no round begins."""
        self._client, self._house, self._soak = client, house, soak
        self._pages, self._over = pages, over
        self._rounds = 0

    @property
    def is_over(self) -> bool:
        return self._rounds >= ROUNDS and time.monotonic() >= self._over

    def round(self) -> None:
        """Do one round: audit every website.

        During the audits, run speed tests and an import. Approve changes for each website whose audit has ended.
        """
        self._rounds += 1
        running = {site: self._audit(site) for site in self._house.sites}
        runs = [
            run for site, url in zip(self._house.sites, self._house.urls, strict=True) if (run := self._test(site, url))
        ]
        self._import()
        batches: list[tuple[str, str]] = []
        give_up = self._until(ROUND_SECONDS)
        while running and time.monotonic() < give_up:
            time.sleep(POLL_SECONDS)
            for site, audit_id in list(running.items()):
                if audit_id is not None and not self._ended(f"/sites/{site}/audits/{audit_id}", "audit", "finishedAt"):
                    continue
                del running[site]
                if site in self._house.cms_sites:
                    batches += self._approve(site)
        give_up = self._until(WORK_SECONDS)
        while (runs or batches) and time.monotonic() < give_up:
            time.sleep(POLL_SECONDS)
            runs = [path for path in runs if not self._ended(path, "agentic run", "finishedAt")]
            batches = [one for one in batches if not self._written(*one)]

    def _until(self, seconds: float) -> float:
        """Return the time after so many seconds.

        After the required number of rounds, it is not later than the end of the soak's rounds.
        """
        end = time.monotonic() + seconds
        return end if self._rounds <= ROUNDS else min(end, self._over)

    def _audit(self, site: str) -> str | None:
        """Start an audit. Returns its id; None if another audit is running."""
        from chalicelib import clock
        from chalicelib.operations import audits
        from chalicelib.operations.errors import Refused
        from chalicelib.store import websites

        if self._rounds <= API_STARTS:
            started = self._client.ask(
                "start an audit", f"/sites/{site}/audits", "POST", expected=QUEUED, or_refused=True
            )
            return None if started is None else str(started["auditId"])
        website = websites.get(self._house.workspace_id, site)
        assert website is not None
        try:
            begun = audits.start(
                website, self._pages, page_budget=None, person_id=None, through_api=False, now=clock.now()
            )
        except Refused:
            return None
        return begun.header.id

    def _test(self, site: str, url: str) -> str | None:
        """Start a speed test. Returns the path of its run; None if it was refused."""
        queued = self._client.ask(
            "run a speed test", f"/sites/{site}/agentic/run", "POST", {"url": url}, expected=QUEUED, or_refused=True
        )
        return None if queued is None else f"/sites/{site}/agentic/runs/{queued['jobId']}"

    def _import(self) -> None:
        from chalicelib.domain.accounts.rights import OPERATOR
        from chalicelib.operations import sources
        from chalicelib.operations.errors import Refused

        with suppress(Refused):  # refused while another import is running
            sources.run(OPERATOR, self._house.sites[0], "search")
            self._soak.done["imports begun"] += 1

    def _approve(self, site: str) -> list[tuple[str, str]]:
        """Approve descriptions for half of the pages without one, so that the issue remains for the next round."""
        listed = self._client.ask("issues", f"/sites/{site}/issues") or {"issues": []}
        issue = next((one for one in listed["issues"] if one["ruleId"] == DESCRIPTION_RULE), None)
        if issue is None:
            self._soak.unexpected[f"no issue {DESCRIPTION_RULE}"] += 1
            return []
        detail = self._client.ask("issue", f"/sites/{site}/issues/{issue['id']}") or {"pages": []}
        urls = [page["url"] for page in detail["pages"]]
        changes = [
            {
                "url": url,
                "value": f"What page {number} is about, as it was approved in round {self._rounds} of many rounds.",
            }
            for number, url in enumerate(urls[: min(CHANGES, len(urls) // 2)])
        ]
        if not changes:
            return []
        path = f"/sites/{site}/actions/{issue['id']}/apply"
        answer = self._client.ask("approve changes", path, "POST", {"changes": changes}, or_refused=True)
        return [] if answer is None else [(site, str(answer["batchId"]))]

    def _written(self, site: str, batch_id: str) -> bool:
        from chalicelib.store import changes

        batch = changes.get(site, batch_id)
        return batch is None or batch.status == "done"

    def _ended(self, path: str, name: str, member: str) -> bool:
        found = self._client.ask(name, path)
        return found is not None and found[member] is not None
