"""A real WordPress with the plugin, connected to the real service: what its owner does, the operator's command line, a
customer's key, and the webhooks that arrive."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from chalicelib.domain.audit.alert import GATHER_SECONDS
from tests.real.service import ROOT, Audited
from tests.real.wordpress import WordPress
from tests.real.wordpress_subject import PLUGIN, Subject

PLUGINS: Final = Path(__file__).resolve().parent / "plugins"
PAGES: Final = 60  # the page budget
SECONDS: Final = 180.0  # in which what was begun has to end
POLL_SECONDS: Final = 0.5  # at first; a key has 1,200 requests an hour
ALERT_SECONDS: Final = 2 * GATHER_SECONDS
UNFINISHED: Final = ("approved", "applying")


class Asked(NamedTuple):
    """A request of the service, as the connector got it. Header names in lower case, with underscores."""

    operation: str
    headers: dict[str, str]
    body: str


class Connected:
    """An audited WordPress. ``site``: the website, ``service``: the service that audited it; ``untouched``: what the
    website stored before the plugin came."""

    def __init__(self, site: WordPress, service: Audited, folder: Path, wire: Path, untouched: dict[str, Any]) -> None:
        self.site, self.service, self.untouched = site, service, untouched
        self._folder, self._wire = folder, wire
        self._handed: dict[str, str] = {}  # what was handed over in pairings, by what it is

    @cached_property
    def run(self) -> dict[str, Any]:
        """What the service tells of itself."""
        return dict(json.loads((self._folder / "run.json").read_text(encoding="utf-8")))

    @property
    def site_id(self) -> str:
        return str(self.run["siteId"])

    def url(self, slug: str) -> str:
        return f"{self.site.url}/{slug}/"

    # -- the operator ----------------------------------------------------------------------------------------

    def manage(self, *command: str) -> dict[str, Any]:
        """What a command of ``manage.py`` prints."""
        done = subprocess.run(
            [sys.executable, "manage.py", "--json", *command],
            cwd=ROOT,
            env={**os.environ, "LOCAL_DIR": str(self._folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    def let_pass(self, seconds: float) -> None:
        """Lets time pass for the service; everything that falls due happens."""
        body = json.dumps({"seconds": seconds}).encode()
        request = urllib.request.Request(f"{self.run['controlUrl']}/clock/advance", body, method="POST")
        urllib.request.urlopen(request, timeout=SECONDS).close()

    def pair(self) -> dict[str, Any]:
        """Connects the website with the code that the plugin's settings page shows."""
        person = self.manage("people", "list", self.run["workspaceId"])["items"][0]["id"]
        code = Subject(self.site, "home", f"{self.site.url}/").code()
        file = self._folder / "credentials.json"
        file.write_text(json.dumps({"url": self.site.url, "code": code}), encoding="utf-8")
        paired = self.manage("connections", "set", self.site_id, "cms", "--file", str(file), "--person", person)
        kept = self.connection_as_stored()
        self._handed |= {"code": code, "website key": kept["websiteKey"], "secret": kept["secret"]}
        return paired

    def check(self) -> dict[str, Any]:
        """Asks the connector how it is; the connection as the operator sees it then."""
        return dict(self.manage("connections", "check", self.site_id)["items"][0])

    def undo(self, batch_id: str) -> str:
        """Has a batch taken back; the undo's id."""
        return str(self.manage("changes", "undo", self.site_id, batch_id)["id"])

    def batch(self, batch_id: str) -> dict[str, Any]:
        """A batch as the operator sees it."""
        listed = self.manage("changes", "list", self.site_id)["items"]
        return dict(next(batch for batch in listed if batch["id"] == batch_id))

    # -- a customer ------------------------------------------------------------------------------------------

    def connection(self) -> dict[str, Any]:
        """The CMS in the summary's connections."""
        (cms,) = [one for one in self.service.get("")["connections"] if one["kind"] == "cms"]
        return dict(cms)

    def issue(self, rule_id: str) -> dict[str, Any]:
        """An issue with its suggestions, whatever its status is."""
        statuses = "open,reopened,in_progress,recheck_queued,resolved"
        listed = self.service.get(f"/issues?status={statuses}")["issues"]
        return self.service.get(f"/issues/{next(one['id'] for one in listed if one['ruleId'] == rule_id)}")

    def gain(self, issue_id: str) -> int:
        """What the score is promised to rise by without the issue, in tenths."""
        actions = self.service.get("/actions?limit=100")["actions"]
        return tenths(next(one["estimatedScoreGain"] for one in actions if one["issueId"] == issue_id))

    def score(self) -> int:
        """The website's score in tenths."""
        return tenths(self.service.get("")["score"]["site"])

    def apply(self, issue_id: str, values: Mapping[str, str]) -> str:
        """Approves a value for each address; the batch's id."""
        wanted = {"changes": [{"url": url, "value": value} for url, value in values.items()]}
        answer = self.service.api.call("POST", f"{self.service.site}/actions/{issue_id}/apply", wanted)
        assert answer["approved"] == len(values)
        return str(answer["batchId"])

    def recheck(self, rule_id: str) -> dict[str, Any]:
        """Has an issue rechecked; the issue after that."""
        issue = self.issue(rule_id)
        self.service.api.call("POST", f"{self.service.site}/issues/{issue['id']}/recheck")
        return self.settled(rule_id, since=issue["lastRecheck"])

    def audit(self) -> dict[str, Any]:
        """A new audit, once it has ended."""
        started = self.service.api.call("POST", f"{self.service.site}/audits")
        path = f"/audits/{started['auditId']}"
        wait(lambda: self.service.get(path)["finishedAt"] is not None, "the audit")
        return self.service.get(path)

    def settled(self, rule_id: str, since: Any) -> dict[str, Any]:
        """The issue, once its changes are final and another recheck than that of ``since`` (its ``lastRecheck``) has
        ended."""

        path = f"/issues/{self.issue(rule_id)['id']}"

        def is_settled() -> bool:
            issue = self.service.get(path)
            last = issue["lastChange"]
            written = last is None or all(change["status"] not in UNFINISHED for change in last["changes"])
            return written and issue["status"] != "recheck_queued" and issue["lastRecheck"] != since

        wait(is_settled, f"the issue of {rule_id}")
        return self.service.get(path)

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """The bodies of the webhooks that arrived, in that order; all were signed rightly."""
        arrived = self._arrived()
        assert all(one["verified"] for one in arrived)
        bodies = [json.loads(one["body"]) for one in arrived]
        return [body for body in bodies if body["event"] in kinds]

    def _arrived(self) -> list[dict[str, Any]]:
        with urllib.request.urlopen(self.run["webhookReceiverUrl"], timeout=SECONDS) as answer:
            return list(json.load(answer)["items"])

    # -- the website -----------------------------------------------------------------------------------------

    def head(self, url: str) -> str:
        """What a visitor's browser gets of a page's head, byte for byte."""
        answer = self.site.get(url.removeprefix(self.site.url))
        assert answer.status == 200, answer
        return answer.text.partition("</head>")[0]

    def clock_strikes(self) -> None:
        """WordPress's own clock finds the job by which the plugin tells the service what it waits to tell."""
        assert self.site.run("echo json_encode(wp_next_scheduled('wos_push'));"), "nothing waits to be told"
        self.site.run("wp_clear_scheduled_hook('wos_push'); wp_schedule_single_event(time() - 1, 'wos_push');")
        self.site.run_cron()

    def saves_are_told(self) -> None:
        """What was saved is told by the plugin, and its pages are read again by the service, before anything else
        begins: in the middle of an undo its alert would change the same issues."""
        if self.site.run("echo json_encode(wp_next_scheduled('wos_push'));"):
            self.clock_strikes()
        wait(lambda: self.site.sql("select 1 from wp_wos_state where name like 'push:%'") == [], "what is to be told")
        self.let_pass(ALERT_SECONDS)

    def asked(self, operation: str = "") -> list[Asked]:
        """Every request of the service so far, or those for one operation."""
        file = self._wire / "requests"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        found = [Asked(**json.loads(line)) for line in lines]
        return [one for one in found if operation in ("", one.operation)]

    @contextmanager
    def plugin_off(self) -> Iterator[None]:
        """A person has switched the plugin off while the block runs, and on again at its end."""
        self.site.deactivate(PLUGIN.name)
        try:
            yield
        finally:
            self.site.activate(PLUGIN)

    def lose_an_answer(self) -> None:
        """The next change is made, and the service does not hear of it."""
        (self._wire / "lose").touch()

    def connection_as_stored(self) -> dict[str, Any]:
        """What the plugin keeps of its connection, with the key and the secret."""
        return dict(self.site.run("echo json_encode(get_option('wos_connection'));"))

    # -- what nobody is to read ------------------------------------------------------------------------------

    def secrets(self) -> dict[str, str]:
        """Every key, secret and signature that was used so far, by what it is."""
        found = {"workspace key": self.run["workspaceKey"], "first website key": self.run["siteKey"], **self._handed}
        for number, one in enumerate(self.asked()):
            if "x_wos_signature" in one.headers:
                found[f"signature {number}"] = one.headers["x_wos_signature"].removeprefix("v1=")
        for number, one in enumerate(self._arrived()):
            found[f"signature of webhook {number}"] = one["headers"]["X-Service-Signature"].removeprefix("sha256=")
        return found

    def logs(self) -> list[str]:
        """What the service, WordPress, PHP's server and the database have logged."""
        files = [self.service.log, *self.site.logs]
        return [file.read_text(encoding="utf-8", errors="replace") for file in files if file.exists()]


def tenths(value: float) -> int:
    return round(value * 10)


def wait(until: Callable[[], bool], what: str) -> None:
    """Returns when ``until()`` is true."""
    end, pause = time.monotonic() + SECONDS, POLL_SECONDS
    while not until():
        assert time.monotonic() < end, f"{what} does not end"
        time.sleep(pause)
        pause *= 1.2


def suggested(issue: Mapping[str, Any], urls: Iterable[str] | None = None) -> dict[str, str]:
    """The values that are suggested, by address; those of ``urls``, or all there are."""
    found = {one["url"]: one["suggested"] for one in issue["suggestions"] if one["suggested"] is not None}
    return found if urls is None else {url: found[url] for url in urls}
