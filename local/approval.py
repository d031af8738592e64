"""Runs the step of ``make run`` after the audit: one approved change goes live and resolves its issue.

It uses the public API, as a customer does. From the actions whose pages all have a suggested value that can be
written, it chooses the action that raises the score most. It approves the values of this action, waits until the demo
website's CMS has written them, and rechecks the live pages.
"""

import shlex
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from rich.console import Console
from rich.markup import escape

from chalicelib.domain.changes.writability import NAMES
from chalicelib.domain.suggestion import WRITABLE_FIELDS
from local.options import DEFAULT_FOLDER
from local.report import Api, ApiRefusal, Interrupted, paces
from local.service import Service

MOST_LOOKED_AT: Final = 10  # issues that are checked for suggested values
MOST_SHOWN: Final = 3  # pages whose values are printed
CONTENT_SECONDS: Final = 60.0  # longest wait until the CMS has sent its content
WRITE_SECONDS: Final = 300.0  # longest wait until the values are written and the issue is rechecked
UNDER_WAY: Final = frozenset({"in_progress", "recheck_queued"})


class NotShown(Exception):
    """Raised if the change did not go live, or did not resolve its issue. The message says what happened instead."""


class Chosen(NamedTuple):
    """An action and its full issue, as the API returns them."""

    action: dict[str, Any]
    issue: dict[str, Any]


class Approval:
    """Shows one change at the terminal.

    ``stopped(seconds)`` waits, and returns True if the user stopped the service meanwhile.
    """

    def __init__(self, console: Console, service: Service, stopped: Callable[[float], bool]) -> None:
        self._console = console
        self._service = service
        self._stopped = stopped
        self._api = Api(service.base_url, service.tenant.workspace_key)
        self._site = f"/sites/{service.tenant.site_id}"

    def show(self) -> str | None:
        """Approve a change, wait for it, and print the result.

        Returns the id of the resolved issue; None if no issue can be resolved by writing values. Raises ``NotShown``,
        ``ApiRefusal``, ``Interrupted``.
        """
        if self._service.not_connected is not None:
            raise NotShown(f"the demo website is not connected to its CMS: {self._service.not_connected}")
        self._until_content()
        chosen = self._chosen()
        if chosen is None:
            self._say("\nNo issue here can be resolved by suggested values alone, so nothing was written.")
            return None
        action, issue = chosen
        before = self._score()
        count = len(issue["suggestions"])
        self._say(
            f"\n[bold]One change, approved:[/bold] {escape(issue['title'])} ({issue['ruleId']}), "
            f"{count} page{'s' if count > 1 else ''}, worth +{action['estimatedScoreGain']:.1f}"
        )
        batch_id = self._approve(issue)
        after = self._until_rechecked(issue["id"], batch_id)
        self._pages(issue, after)
        _check(after)
        self._moved(before, self._score(), action["estimatedScoreGain"], after)
        self._say(f"To undo it: {undo_line(self._service, batch_id)}", markup=False)
        return str(issue["id"])

    # -- before ----------------------------------------------------------------------------------------------

    def _until_content(self) -> None:
        """Wait until the CMS has sent its content. Nothing can be written before."""
        content, until = self._service.content, time.monotonic() + CONTENT_SECONDS
        while not content.sent.is_set():
            if content.trouble is not None or time.monotonic() >= until:
                raise NotShown(f"the CMS has not sent its content: {content.trouble or 'it is still on its way'}")
            self._wait(0.1)

    def _chosen(self) -> Chosen | None:
        """Return the action that raises the score most, among those that suggested values can resolve."""
        actions = self._api.call("GET", f"{self._site}/actions?limit=100")["actions"]
        actions = [one for one in actions if one["writableField"] in WRITABLE_FIELDS and one["estimatedScoreGain"]]
        actions.sort(key=lambda action: -action["estimatedScoreGain"])
        for action in actions[:MOST_LOOKED_AT]:
            issue = self._issue(action["issueId"])
            if can_be_resolved(issue):
                return Chosen(action, issue)
        return None

    # -- approved --------------------------------------------------------------------------------------------

    def _approve(self, issue: dict[str, Any]) -> str:
        wanted = [{"url": one["url"], "value": one["suggested"]} for one in issue["suggestions"]]
        try:
            answer = self._api.call("POST", f"{self._site}/actions/{issue['id']}/apply", {"changes": wanted})
        except ApiRefusal as refusal:
            raise NotShown(f"no change was approved: {refusal}") from None
        return str(answer["batchId"])

    def _until_rechecked(self, issue_id: str, batch_id: str) -> dict[str, Any]:
        """Wait until the change is written and the issue is rechecked. Returns the issue."""
        until = time.monotonic() + WRITE_SECONDS
        for seconds in paces():
            issue = self._issue(issue_id)
            if issue["status"] not in UNDER_WAY:
                if issue["lastChange"]["batchId"] != batch_id:
                    raise NotShown("somebody else has approved another change of the issue in the meantime")
                return issue
            if time.monotonic() >= until:
                said = next((one["error"] for one in issue["lastChange"]["changes"] if one["error"]), None)
                raise NotShown(f"the issue is still {issue['status']}: {said or 'the writer has not processed it yet'}")
            self._wait(seconds)
        raise AssertionError  # paces never ends

    # -- after -----------------------------------------------------------------------------------------------

    def _pages(self, issue: dict[str, Any], after: dict[str, Any]) -> None:
        """Print the value of each page before and after the change."""
        shown = {one["url"]: one["current"] for one in issue["suggestions"]}
        changes = after["lastChange"]["changes"]
        for change in changes[:MOST_SHOWN]:
            name = NAMES.get(change["field"], change["field"])
            live = "live" if change["live"] else change["status"]
            self._say(f"  /{change['url'].removeprefix(self._service.site_url)}", markup=False)
            self._say(f"    {name} before  {_quoted(shown.get(change['url']))}", markup=False)
            self._say(f"    {name} now     {_quoted(change['liveValue'])}  {live}", markup=False)
        if len(changes) > MOST_SHOWN:
            self._say(f"  and {len(changes) - MOST_SHOWN} more")

    def _moved(self, before: float, now: float, promised: float, after: dict[str, Any]) -> None:
        """Print the change of the score. Raises ``NotShown`` if it differs from the promised gain."""
        if after["lastRecheck"] is None:
            raise NotShown("another audit found the issue resolved before its recheck")
        gained = round(now - before, 1)
        checked = after["lastRecheck"]["checked"]
        self._say(f"Read again without any cache: {checked} of {checked} no longer show it, so the issue is resolved.")
        if gained != promised:
            raise NotShown(f"the score moved from {before:.1f} to {now:.1f}, which is not the promised {promised:+.1f}")
        self._say(f"Score [bold]{before:.1f} → {now:.1f}[/bold], {gained:+.1f} as promised.")

    def _score(self) -> float:
        return float(self._api.call("GET", self._site)["score"]["site"])

    def _issue(self, issue_id: str) -> dict[str, Any]:
        return self._api.call("GET", f"{self._site}/issues/{issue_id}")

    def _wait(self, seconds: float) -> None:
        if self._stopped(seconds):
            raise Interrupted

    def _say(self, text: str, *, markup: bool = True) -> None:
        self._console.print(text, highlight=False, soft_wrap=True, markup=markup)


def can_be_resolved(issue: dict[str, Any]) -> bool:
    """Whether every page of the issue has a suggested value that can be written."""
    found = issue["suggestions"]
    complete = len(found) == issue["suggestionsTotal"] == issue["affectedPages"]
    return bool(found) and complete and all(one["writable"] and one["suggested"] is not None for one in found)


def undo_line(service: Service, batch_id: str) -> str:
    """Return the command that undoes a change. It must be run in the project's folder while the service runs."""
    folder = service.options.folder
    where = "" if str(folder) == DEFAULT_FOLDER else f"LOCAL_DIR={shlex.quote(str(folder))} "
    return f"{where}.venv/bin/python manage.py changes undo {service.tenant.site_id} {batch_id}"


def _check(issue: dict[str, Any]) -> None:
    """Raise ``NotShown`` if a change is not live, or the issue is still open."""
    for change in issue["lastChange"]["changes"]:
        if change["status"] != "applied":
            reason = change["error"] or change["notLiveReason"] or "no reason was given"
            raise NotShown(f"the change of {change['url']} is {change['status']}: {reason}")
    if issue["status"] != "resolved":
        recheck = issue["lastRecheck"] or {}
        reason = recheck.get("note") or f"{recheck.get('present')} of {recheck.get('checked')} pages still show it"
        raise NotShown(f"the issue is {issue['status']}: {reason}")


def _quoted(value: str | None) -> str:
    return "none" if value is None else f"“{value}”"
