"""Prints the output of ``make run``: the audit's progress, the score, the issues whose fixes raise the score most, and
example requests."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from chalicelib import clock
from chalicelib.domain import plans
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.search.periods import MOST_MONTHS, months_before
from chalicelib.operations import accounts, audits, websites
from local.service import Service
from local.standins.mail import Sent

FIRST_POLL_SECONDS, SLOWEST_POLL_SECONDS, SLOWER = 0.5, 5.0, 1.25
LINE_SECONDS = 5.0  # seconds between two lines of progress, if the output is not a terminal
TOP_ISSUES = 10
MOST_ROWS = 10_000  # of one answer
WEBHOOK_SECONDS = 5.0
# Example requests about the audited website.
TO_TRY = (
    "",
    "/actions?limit=5",
    "/issues?status=open",
    "/pages?per=5",
    "/ai-visibility?limit=2",
    "/topics?limit=5",
    "/analytics/pages?limit=5",
)
RECEIVER_SECONDS = 0.1  # between two checks of the receiver: checks are cheap in the same process
ENDED = frozenset({"done", "failed", "cancelled"})


class ApiRefusal(Exception):
    """Raised if the API answered with an error. The text is the error's message; ``error`` has the whole answer."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.error = error


class Interrupted(Exception):
    """Raised if the user stopped the service during a wait."""


class Api:
    """Calls to the service's own API with one API key."""

    def __init__(self, base_url: str, key: str) -> None:
        self._base_url = base_url
        self._key = key

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the answer's JSON. Raises ``ApiRefusal``."""
        content: dict[str, Any] = json.loads(self.read(method, path, body))
        return content

    def read(self, method: str, path: str, body: dict[str, Any] | None = None) -> str:
        """Send a request and return the answer's text. Raises ``ApiRefusal``."""
        request = urllib.request.Request(self._base_url + path, method=method)
        request.add_header("Authorization", f"Bearer {self._key}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return str(answer.read(), "utf-8")
        except urllib.error.HTTPError as error:
            raise ApiRefusal(json.load(error)["error"]) from None


def paces() -> Iterator[float]:
    """Yield the seconds to wait between polls: short waits at first, then longer ones.

    The waits keep the number of requests far below a key's hourly limit.
    """
    seconds = FIRST_POLL_SECONDS
    while True:
        yield seconds
        seconds = min(SLOWEST_POLL_SECONDS, seconds * SLOWER)


class Report:
    """The terminal output of one local service."""

    def __init__(self, console: Console, service: Service) -> None:
        self._console = console
        self._service = service
        self._api = Api(service.base_url, service.tenant.workspace_key)
        self._site = f"/sites/{service.tenant.site_id}"

    def audit(self, stopped: Callable[[float], bool]) -> dict[str, Any]:
        """Start an audit, show its progress, and return the audit once it has ended.

        ``stopped(seconds)`` waits, and returns True if the user stopped the service meanwhile. Raises ``Refused``,
        ``ApiRefusal``, ``Interrupted``.
        """
        path = f"{self._site}/audits/{self._start()}"
        show = self._bar if self._console.is_terminal else self._lines
        return show(lambda: self._api.call("GET", path), stopped)

    def _start(self) -> str:
        """Start an audit, unless an audit goes on after a restart. Returns the id of the audit.

        The operator starts it, so that it does not count towards the user's daily limit of starts through the API.
        """
        website = websites.existing(OPERATOR, self._service.tenant.site_id, "work")
        plan = plans.plan(accounts.existing_workspace(website.workspace_id).plan)
        pages = self._service.options.pages
        try:
            return audits.start(
                website,
                plan.pages_per_audit,
                page_budget=pages or None,
                person_id=None,
                through_api=False,
                now=clock.now(),
            ).header.id
        except audits.AlreadyRunning as running:
            return running.crawl_id

    def _bar(self, read: Callable[[], dict[str, Any]], stopped: Callable[[float], bool]) -> dict[str, Any]:
        columns = (
            TextColumn("[bold]{task.description:<12}"),
            BarColumn(),
            TextColumn("{task.completed:.0f} of {task.total:.0f} pages"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._console) as progress:
            task = progress.add_task("queued", total=1)
            for seconds in paces():
                audit = read()
                total = max(min(audit["pagesDiscovered"], audit["pageBudget"]), audit["pagesCrawled"], 1)
                progress.update(task, description=audit["stage"], completed=audit["pagesCrawled"], total=total)
                if audit["status"] in ENDED:
                    return audit
                if stopped(seconds):
                    break
        raise Interrupted

    def _lines(self, read: Callable[[], dict[str, Any]], stopped: Callable[[float], bool]) -> dict[str, Any]:
        shown_stage, shown_line, shown_at = "", "", 0.0
        for seconds in paces():
            audit = read()
            now, stage = time.monotonic(), audit["stage"]
            line = f"{stage}: {audit['pagesCrawled']} pages read, {audit['pagesDiscovered']} found"
            if stage != shown_stage or (line != shown_line and now - shown_at >= LINE_SECONDS):
                shown_stage, shown_line, shown_at = stage, line, now
                self._console.print(line, highlight=False)
            if audit["status"] in ENDED:
                return audit
            if stopped(seconds):
                break
        raise Interrupted

    def result(self, audit: dict[str, Any]) -> None:
        """Print the score, and the issues whose fixes raise it most."""
        summary = self._api.call("GET", self._site)
        score = summary["score"]
        partial = f", partial: {audit['partialReason']}" if audit["partialReason"] else ""
        self._console.print(
            f"\n[bold]{escape(summary['name'])}[/bold]: {audit['pagesCrawled']} pages read, "
            f"{summary['issues']['open']} open issues{partial}",
            highlight=False,
        )
        if summary["notice"] is not None:
            self._console.print(f"[bold]{escape(summary['notice'])}[/bold]", highlight=False, soft_wrap=True)
        aeo = "not measured" if score["aeo"] is None else f"{score['aeo']:.1f}"
        self._console.print(
            f"Score [bold]{score['site']:.1f}[/bold]   health {score['health']:.1f}   "
            f"AI readiness {aeo}   confidence {score['confidence']}\n",
            highlight=False,
        )
        self._console.print(self._plan())

    def webhooks(self, expected: Mapping[str, str]) -> None:
        """Print the receiver's deliveries once the expected events have arrived, or after a time limit.

        ``expected``: the events to wait for, each as its kind and the id of its subject.
        """
        self._console.print(f"\nwebhooks: {self._arrived(expected)}", highlight=False)

    def _arrived(self, expected: Mapping[str, str]) -> str:
        until = time.monotonic() + WEBHOOK_SECONDS
        while True:
            received = self._service.receiver.received()
            verified = sum(arrival["verified"] for arrival in received)
            missing = [
                kind
                for kind, about in expected.items()
                if not any(f'"{kind}"' in arrival["body"] and about in arrival["body"] for arrival in received)
            ]
            if not missing:
                break
            if time.monotonic() >= until:
                return f"{len(received)} delivered so far; not yet delivered: {', '.join(missing)}"
            time.sleep(RECEIVER_SECONDS)
        if verified < len(received):
            return f"{len(received)} delivered, {verified} signatures verified"
        return f"{len(received)} delivered, signatures verified"

    def search(self, audit: dict[str, Any], stopped: Callable[[float], bool]) -> None:
        """Show the progress of the search data import until it is done, then print its numbers.

        ``audit``: the finished audit. Raises ``ApiRefusal`` and ``Interrupted``.
        """
        show = self._search_bar if self._console.is_terminal else self._search_lines
        if not (found := self._imported())["connected"]:
            return
        show(found, stopped)
        if (found := self._imported())["error"] is None:
            self._searched(found, audit)

    def _searched(self, found: dict[str, Any], audit: dict[str, Any]) -> None:
        last = date.fromisoformat(self._api.call("GET", f"{self._site}/search/summary")["finalThrough"])
        asked = f"from={months_before(last, MOST_MONTHS)}&to={last}"
        days, queries = (
            len(self._api.call("GET", f"{self._site}/search/rows?{asked}&dimension={name}&limit={MOST_ROWS}")["rows"])
            for name in ("date", "query")
        )
        took = datetime.fromisoformat(found["lastImportAt"]) - datetime.fromisoformat(audit["finishedAt"])
        after = f"{took.total_seconds():.1f} s after the audit's end"
        self._console.print(f"search data: {days} days and {queries:,} queries, answered {after}", highlight=False)

    def _imported(self) -> dict[str, Any]:
        connections = self._api.call("GET", self._site)["connections"]
        return next(one for one in connections if one["kind"] == "search")

    def _search_bar(self, found: dict[str, Any], stopped: Callable[[float], bool]) -> None:
        columns = (
            TextColumn("[bold]search data "),
            BarColumn(),
            TextColumn("{task.completed:.0f} of {task.total:.0f} days"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._console) as progress:
            task = progress.add_task("search data", total=1)
            for seconds in paces():
                done, days = _days_imported(found)
                if days:
                    progress.update(task, completed=done, total=days)
                if not self._goes_on(found, stopped, seconds):
                    if found["error"] is None:
                        progress.update(task, completed=progress.tasks[0].total)
                    return
                found = self._imported()

    def _search_lines(self, found: dict[str, Any], stopped: Callable[[float], bool]) -> None:
        shown = None
        for seconds in paces():
            done, days = _days_imported(found)
            if days and done != shown:
                shown = done
                self._console.print(f"search data: {done} of {days} days", highlight=False)
            if not self._goes_on(found, stopped, seconds):
                if found["error"] is None:
                    self._console.print(f"search data: {found['rowsLastImport']:,} rows imported", highlight=False)
                return
            found = self._imported()

    def _goes_on(self, found: dict[str, Any], stopped: Callable[[float], bool], seconds: float) -> bool:
        if found["error"] is not None:
            self._console.print(f"search data: {found['error']}", highlight=False, markup=False)
        if found["error"] is not None or (found["lastImportAt"] is not None and found["importing"] is None):
            return False
        if stopped(seconds):
            raise Interrupted
        return True

    def calls(self) -> None:
        """Print ``curl`` lines that work unchanged.

        Each request is tried first. A request is left out if the API answers it with an error, for instance because the
        website has no connection.
        """
        base, key = self._service.base_url, self._service.tenant.workspace_key
        header = f'-H "Authorization: Bearer {key}"'
        self._console.print("\nTo try:", highlight=False)
        for line in (
            *(f"curl -s {header} '{base}{self._site}{path}'" for path in TO_TRY if self._answers(path)),
            f"curl -s -X POST {header} {base}{self._site}/audits",
            f"curl -s {base}/openapi.json",
        ):
            self._console.print(f"  {line}", soft_wrap=True, highlight=False, markup=False)
        self._console.print(
            "\nTo add it to an assistant (docs/mcp.md has other clients than Claude Code):", highlight=False
        )
        command = f"claude mcp add --transport http website-optimization {self._service.mcp_url} --header"
        self._console.print(f'  {command} "Authorization: Bearer {key}"', soft_wrap=True, highlight=False, markup=False)

    def _answers(self, path: str) -> bool:
        try:
            self._api.call("GET", self._site + path)
        except (ApiRefusal, OSError, ValueError):
            return False
        return True

    def addresses(self) -> None:
        """Print the addresses of the service."""
        service = self._service
        self._console.print(f"App      {service.sign_in_link()}", highlight=False, markup=False, soft_wrap=True)
        self._console.print(
            "         The link signs you in once, within 15 minutes. A new one:\n"
            f"         .venv/bin/python manage.py people link {service.tenant.workspace_id} {service.tenant.person_id}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
        self._console.print(f"API      {service.base_url}", highlight=False)
        self._console.print(f"Website  {service.site_url}", highlight=False, markup=False)
        if service.options.site is None and service.not_connected is None:
            self._console.print(f"CMS      {service.cms.address} (a stand-in, connected)", highlight=False)
        self._console.print(f"Log      {service.options.folder / 'service.log'}", highlight=False, markup=False)
        for warning in service.warnings:
            self._console.print(f"Warning  {warning}", highlight=False, markup=False, soft_wrap=True)
        self._console.print()

    def mail(self, sent: Sent) -> None:
        """Print a mail that the service has just sent."""
        self._console.print(
            f"\nMail to {sent.to}: {sent.subject}\n{sent.text.rstrip()}\n",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )

    def _plan(self) -> Table:
        """Make the table of open issues by gain.

        Issues that one change fixes are listed together, at the position of the first.
        """
        table = Table("Gain", "Severity", "Pages", "Issue", box=None, pad_edge=False, header_style="bold")
        table.columns[0].justify = table.columns[2].justify = "right"
        issues = {issue["id"]: issue for issue in self._api.call("GET", f"{self._site}/issues")["issues"]}
        actions = self._api.call("GET", f"{self._site}/actions?limit=100")["actions"]
        actions = [action for action in actions if action["issueId"] in issues]  # keyword tasks have no gain
        actions.sort(key=lambda action: -(action["estimatedScoreGain"] or 0.0))
        left = TOP_ISSUES
        for group in grouped(actions):
            if left <= 0:
                break
            left -= len(group)
            cause = group[0]["cause"]
            if cause is not None:
                gain = "" if cause["gain"] is None else f" (+{cause['gain']:.1f})"
                mends = f"[bold]One change fixes {len(cause['issueIds'])}{gain}:[/bold]"
                table.add_row("", "", "", f"{mends} {escape(in_words(cause))}")
            for action in group:
                issue = issues[action["issueId"]]
                gain = action["estimatedScoreGain"]
                table.add_row(
                    "" if gain is None else f"+{gain:.1f}",
                    issue["severity"],
                    str(issue["affectedPages"]),
                    f"{'  ' if cause else ''}{escape(issue['title'])} ({issue['ruleId']})",
                )
        return table


def _days_imported(found: dict[str, Any]) -> tuple[int, int]:
    """Return the number of imported days and of all days. Returns (0, 0) if no import is running."""
    under_way = found["importing"]
    return (0, 0) if under_way is None else (under_way["daysDone"], under_way["days"])


def grouped(actions: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group the actions by cause, in the order of each group's first action. An action without a cause forms its own
    group."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for action in actions:
        cause = action["cause"]
        key = (action["issueId"],) if cause is None else (cause["kind"], cause["key"])
        groups.setdefault(key, []).append(action)
    return list(groups.values())


def in_words(cause: dict[str, Any]) -> str:
    """Return in words where to make the one change that fixes a cause."""
    return {
        "template": "the template {key}",
        "layout": "the layout that every page has",
        "header": "the header {key}",
        "robots_tag": "the robots tag {key}",
        "robots_line": "robots.txt, line {key}",
        "address": "{key}",
        "file": "the file {key}",
        "scripts": "the {key} that scripts add instead of the server",
        "slash": "the slash at the end of addresses ({key} by the host)",
    }[cause["kind"]].format(key=cause["key"])
