"""Serves the control address of the running local service: HTTP on the loopback address only.

- ``GET /clock`` answers ``{"id": "clock", "now": …, "offsetSeconds": …}``.
- ``POST /clock/advance {"seconds": n}`` moves the clock forward by n seconds. When all work that became due is done, it
  answers like ``GET /clock``.
- ``POST /standin {"name": …, "fault": …}`` makes the stand-in of this name fail in the way that ``fault`` names. With
  ``none``, the stand-in answers normally again.
- ``POST /standin/code {"name": …}`` returns the credentials that connect a website to the stand-in. ``cms``: ``{"id":
  "cms", "url": …, "code": …}``, with a code that works once within 15 minutes. ``shop``: ``{"id": "shop", "shop": …,
  "accessToken": …}``. ``search``: ``{"id": "search", "property": …, "credentials": …}``.
- ``GET /mails`` answers the mails that the service sent, the latest last: ``{"id": "mails", "items": [{"to", "subject",
  "text", "html", "at", "headers"}]}``.
"""

import math
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from chalicelib import clock
from host.schedules import Schedules
from local import embedded
from local.pump import EmbeddedPump
from local.serving import Answer, Request, Service, Standin
from local.standins.analytics import Analytics
from local.standins.cms import Cms
from local.standins.mail import Mailbox
from local.standins.search_console import Search
from local.standins.shop import Shop
from local.sweeps import Work

LONGEST_ADVANCE_SECONDS = 400 * 86400
JOBS_SECONDS = 3600.0  # how long jobs may take to end, in each step


class Refused(Exception):
    """Raised if the request is refused. The message says why."""


class Clock:
    """Moves the service's clock forward.

    First, it waits until running jobs have ended. Then all work that becomes due runs at its own time.
    """

    def __init__(self, pump: EmbeddedPump | None, schedules: Schedules, sweeps: Iterable[str] = ()) -> None:
        """``pump``: None if the queues are outside this process. The clock then cannot be moved.

        ``sweeps``: schedules whose runs are skipped if they would find nothing (local/sweeps.py). Skipping needs the
        tables in this process.
        """
        self._pump = pump
        self._schedules = schedules
        self._sweeps = tuple(sweeps)
        self._stepping = threading.Lock()

    def answer(self) -> dict[str, Any]:
        """Return the body of the answer to ``GET /clock``."""
        now = clock.utc(clock.now()).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"id": "clock", "now": now, "offsetSeconds": clock.offset()}

    def advance(self, seconds: float) -> None:
        """Move the clock forward by ``seconds``, and wait for all work that falls due. Raises ``Refused``."""
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
        """Return the time of the next message or schedule. Returns a time after ``target`` if nothing is due until
        then."""
        never = math.nextafter(target, math.inf)
        times = self._schedules.due()
        sweeps = {name: times.pop(name) for name in self._sweeps if name in times}
        message = pump.next_due()
        other = min([never, *times.values(), *([] if message is None else [message])])
        found = [at for due in sweeps.values() if (at := work.next(due)) is not None]
        for name in sweeps:
            # The message or schedule at this time may leave work for a sweep, so no run after it is skipped.
            self._schedules.leave_out(name, min([other, *found]))
        return min([other, *(self._schedules.due()[name] for name in sweeps)])

    def _set(self, at: float) -> None:
        """Move the clock to ``at``, but never back: if jobs took longer than the step, the clock is already later."""
        ahead = at - clock.now()
        if ahead > 0:
            clock.set_offset(clock.offset() + ahead)
            embedded.wake()

    def _settle(self, pump: EmbeddedPump) -> None:
        """Run what is due, and wait until all jobs are done, including jobs that these jobs started."""
        while True:
            fired = self._schedules.fire_due()
            if not pump.wait_idle(JOBS_SECONDS):
                raise Refused(f"jobs still run after {JOBS_SECONDS:.0f} seconds: {', '.join(pump.jobs.running())}")
            if not fired:
                break
        self._schedules.wake()


class Control(Service):
    """The HTTP server of the control address, on a free port."""

    name = "control"
    methods = ("GET", "POST")

    def __init__(
        self, service_clock: Clock, standins: Mapping[str, Standin] | None = None, mailbox: Mailbox | None = None
    ) -> None:
        self._clock = service_clock
        self._mailbox = mailbox
        self._standins = dict(standins or {})
        super().__init__()

    def respond(self, request: Request) -> Answer:
        does = {
            "GET /clock": lambda _: self._clock.answer(),
            "GET /mails": lambda _: self._mails(),
            "POST /clock/advance": self._advance,
            "POST /standin": self._misbehave,
            "POST /standin/code": self._code,
        }.get(f"{request.method} {request.path}")
        if does is None:
            known = (
                "GET /clock, GET /mails, POST /clock/advance, POST /standin and POST /standin/code are the only "
                "requests"
            )
            return self._refused(404, "not_found", known)
        given = request.json()
        try:
            return self.json_answer(200, does(given if isinstance(given, dict) else {}))
        except Refused as refusal:
            return self._refused(409, "refused", str(refusal))
        except ValueError as wrong:
            return self._refused(400, "bad_body", str(wrong))

    def _refused(self, status: int, code: str, message: str) -> Answer:
        return self.json_answer(status, {"error": {"code": code, "message": message}})

    def _mails(self) -> dict[str, Any]:
        return {"id": "mails", "items": [sent._asdict() for sent in self._mailbox.sent()] if self._mailbox else []}

    def _advance(self, body: dict[str, Any]) -> dict[str, Any]:
        seconds = body.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise ValueError('the body must be {"seconds": <number>}')
        self._clock.advance(seconds)
        return self._clock.answer()

    def _misbehave(self, body: dict[str, Any]) -> dict[str, Any]:
        name, fault = str(body.get("name")), str(body.get("fault"))
        if name not in self._standins:
            raise ValueError(f"there is no stand-in {name!r}; the stand-ins are {', '.join(self._standins)}")
        self._standins[name].misbehave(fault)
        return {"id": name, "fault": fault}

    def _code(self, body: dict[str, Any]) -> dict[str, Any]:
        name = str(body.get("name"))
        standin = self._standins.get(name)
        if isinstance(standin, Cms):
            return {"id": name, "url": standin.address, "code": standin.code()}
        if isinstance(standin, Shop | Search | Analytics):
            return {"id": name, **standin.credentials()}
        raise ValueError(f"there is no stand-in {name!r} that a website is connected to")
