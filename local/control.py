"""What a person may do to the running local service, over HTTP on the loopback address only.

``GET /clock`` answers ``{"id": "clock", "now": …, "offsetSeconds": …}``; ``POST /clock/advance {"seconds": n}`` lets
time pass and answers the same when all that fell due has happened. ``POST /standin {"name": …, "fault": …}`` makes a
stand-in of an outside service misbehave, or answer again (``none``). ``POST /standin/code {"name": …}`` answers what
the stand-in of the CMS, shop or search is connected with: ``{"id": "cms", "url": …, "code": …}``, whose code is good
once, for 15 minutes, ``{"id": "shop", "shop": …, "accessToken": …}``, or ``{"id": "search", "property": …,
"credentials": …}``.
"""

import json
import logging
import math
import threading
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

from chalicelib import clock
from host.loopback import LoopbackServer
from host.schedules import Schedules
from local import embedded
from local.pump import EmbeddedPump
from local.standins.analytics import Analytics
from local.standins.cms import Cms
from local.standins.search_console import Search
from local.standins.shop import Shop
from local.sweeps import Work

LONGEST_ADVANCE_SECONDS = 400 * 86400
JOBS_SECONDS = 3600.0  # how long jobs may take to end, in each step

log = logging.getLogger(__name__)


class Refused(Exception):
    """What was asked for is not done; the message says why."""


class Clock:
    """Steps the service's clock. Jobs end first; then each thing that falls due happens at its own time, in order."""

    def __init__(self, pump: EmbeddedPump | None, schedules: Schedules, sweeps: Iterable[str] = ()) -> None:
        """``pump`` None: the queues are not of this process, and the clock stands still. ``sweeps``: schedules
        that are left out where they would find nothing (local/sweeps.py); then the tables are of this process too."""
        self._pump = pump
        self._schedules = schedules
        self._sweeps = tuple(sweeps)
        self._stepping = threading.Lock()

    def answer(self) -> dict[str, Any]:
        """The clock as JSON."""
        now = clock.utc(clock.now()).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"id": "clock", "now": now, "offsetSeconds": clock.offset()}

    def advance(self, seconds: float) -> None:
        """Lets ``seconds`` pass. Raises ``Refused``."""
        if self._pump is None:
            raise Refused("the clock can only be moved on the embedded store, not on another one")
        if not 0 < seconds <= LONGEST_ADVANCE_SECONDS:
            raise Refused(f"seconds is {seconds:g}, but must be above 0 and at most {LONGEST_ADVANCE_SECONDS}")
        with self._stepping, Work() as work:
            self._settle(self._pump)
            target = clock.now() + seconds
            while (due := self._next_due(self._pump, work, target)) <= target:
                self._set(due)
                self._settle(self._pump)
            self._set(target)
            self._schedules.wake()

    def _next_due(self, pump: EmbeddedPump, work: Work, target: float) -> float:
        """When the next thing happens; a time after ``target`` when nothing does before."""
        never = math.nextafter(target, math.inf)
        times = self._schedules.due()
        sweeps = {name: times.pop(name) for name in self._sweeps if name in times}
        message = pump.next_due()
        other = min([never, *times.values(), *([] if message is None else [message])])
        found = [at for due in sweeps.values() if (at := work.next(due)) is not None]
        for name in sweeps:
            # Whatever happens next may give a sweep work: no run behind it is left out.
            self._schedules.leave_out(name, min([other, *found]))
        return min([other, *(self._schedules.due()[name] for name in sweeps)])

    def _set(self, at: float) -> None:
        """Moves the clock to ``at``; never back, when jobs took longer than the step."""
        ahead = at - clock.now()
        if ahead > 0:
            clock.set_offset(clock.offset() + ahead)
            embedded.wake()

    def _settle(self, pump: EmbeddedPump) -> None:
        """Fires what is due, and waits until all jobs, and the jobs they started, are done."""
        while True:
            fired = self._schedules.fire_due()
            if not pump.wait_idle(JOBS_SECONDS):
                raise Refused(f"jobs still run after {JOBS_SECONDS:.0f} seconds: {', '.join(pump.jobs.running())}")
            if not fired:
                break
        self._schedules.wake()


class Standin(Protocol):
    """What stands in for an outside service."""

    def misbehave(self, fault: str) -> None:
        """Fail in this way from now on; ``none``: answer again. Raises ``ValueError`` for a fault it does not know."""


class Control:
    """The HTTP server of it, on a free port."""

    def __init__(self, service_clock: Clock, standins: Mapping[str, Standin] | None = None) -> None:
        handler = type("Handler", (_Handler,), {"service_clock": service_clock, "standins": dict(standins or {})})
        self._server = LoopbackServer(handler)
        self._server.start("control")
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Takes no more requests."""
        self._server.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service_clock: Clock
    standins: dict[str, Standin]

    def do_GET(self) -> None:
        if self.path != "/clock":
            self._unknown()
            return
        self._answer(200, self.service_clock.answer())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        does = {"/clock/advance": self._advance, "/standin": self._misbehave, "/standin/code": self._code}.get(
            self.path
        )
        if does is None:
            self._unknown()
            return
        try:
            given = json.loads(body)
        except ValueError:
            given = None
        try:
            self._answer(200, does(given if isinstance(given, dict) else {}))
        except Refused as refusal:
            self._answer(409, _error("refused", str(refusal)))
        except ValueError as wrong:
            self._answer(400, _error("bad_body", str(wrong)))

    def _advance(self, body: dict[str, Any]) -> dict[str, Any]:
        seconds = body.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise ValueError('the body must be {"seconds": <number>}')
        self.service_clock.advance(seconds)
        return self.service_clock.answer()

    def _misbehave(self, body: dict[str, Any]) -> dict[str, Any]:
        name, fault = str(body.get("name")), str(body.get("fault"))
        if name not in self.standins:
            raise ValueError(f"there is no stand-in {name!r}; there are {', '.join(self.standins)}")
        self.standins[name].misbehave(fault)
        return {"id": name, "fault": fault}

    def _code(self, body: dict[str, Any]) -> dict[str, Any]:
        name = str(body.get("name"))
        standin = self.standins.get(name)
        if isinstance(standin, Cms):
            return {"id": name, "url": standin.address, "code": standin.code()}
        if isinstance(standin, Shop | Search | Analytics):
            return {"id": name, **standin.credentials()}
        raise ValueError(f"there is no stand-in {name!r} that a website is connected to")

    def _unknown(self) -> None:
        known = "GET /clock, POST /clock/advance, POST /standin and POST /standin/code are all there is"
        self._answer(404, _error("not_found", known))

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
