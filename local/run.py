"""``make run``: starts the local service, audits a website before your eyes, and keeps serving until Ctrl-C."""

import logging
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console

from local.options import BadOption, Options

if TYPE_CHECKING:
    from local.report import Report
    from local.service import Service

INTERRUPTED = 130  # what a shell reports of a program that was ended by Ctrl-C


def main() -> int:
    """Runs the service. Returns the exit status: 0, or 1 when it could not start or (``ONCE``) the audit failed."""
    console = Console(file=sys.stdout)  # the terminal, also when sys.stdout is the log
    try:
        options = Options.read()
        options.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (BadOption, OSError) as error:
        return _failed(console, str(error))
    _log_to(options)
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _stop(stopping))
    return _serve(console, options, stopping)


def _serve(console: Console, options: Options, stopping: threading.Event) -> int:
    # Loggers take hold of sys.stdout when they are imported: by now it is the log.
    from chalicelib.operations.errors import Refused
    from local.service import CannotStart, Service
    from local.state import StateInUse

    service = Service(options)
    try:
        service.start()
    except (CannotStart, StateInUse) as error:
        return _failed(console, str(error))
    except Refused as refusal:
        return _failed(console, f"{options.site} cannot be audited: {refusal.message}")
    try:
        return _show(console, service, stopping)
    finally:
        service.stop()


def _show(console: Console, service: "Service", stopping: threading.Event) -> int:
    from local.report import Interrupted, Report

    report = Report(console, service)
    report.addresses()
    try:
        failure = _loop(console, service, report, stopping)
    except Interrupted:
        return INTERRUPTED
    if failure is not None:
        _failed(console, failure)
    if service.options.once and failure is not None:
        return 1  # the reason stays the last line
    report.calls()
    if service.options.once:
        return 0
    console.print("\nServing until Ctrl-C.", highlight=False)
    stopping.wait()
    return 0


def _loop(console: Console, service: "Service", report: "Report", stopping: threading.Event) -> str | None:
    """Audits the website, and on the demo website has one change written. Returns what failed. Raises
    ``Interrupted``."""
    from chalicelib.operations.errors import Refused
    from local.approval import Approval, NotShown
    from local.report import ApiRefusal

    failure: str | None = None
    try:
        audit = report.audit(stopping.wait)
        if audit["status"] != "done":
            return f"the audit is {audit['status']}: {audit['error'] or 'no reason was given'}"
        report.result(audit)
        expected = {"audit.finished": audit["id"]}
        if service.options.site is None:
            try:
                resolved = Approval(console, service, stopping.wait).show()
                if resolved is not None:
                    expected |= {"write.applied": resolved, "issue.resolved": resolved}
            except NotShown as reason:
                failure = str(reason)
        report.webhooks(expected)
    except Refused as refusal:
        return f"no audit was started: {refusal.message}"
    except ApiRefusal as refusal:
        return f"the service did not answer: {refusal}"
    return failure


def _stop(stopping: threading.Event) -> None:
    if stopping.is_set():
        os._exit(INTERRUPTED)  # the second Ctrl-C does not wait for anything
    stopping.set()


def _failed(console: Console, message: str) -> int:
    console.print(f"[red]{message}", highlight=False, soft_wrap=True)
    return 1


def _log_to(options: Options) -> None:
    """Everything that is logged, or printed by a library, goes to service.log instead of the terminal."""
    log = (options.folder / "service.log").open("w", buffering=1, encoding="utf-8")
    sys.stdout = sys.stderr = log
    logging.basicConfig(stream=log, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")


def _exit(status: int) -> NoReturn:
    """Ends at once: jobs that still run are daemon threads, which the interpreter would stumble over."""
    sys.__stdout__.flush() if sys.__stdout__ else None
    os._exit(status)


if __name__ == "__main__":
    _exit(main())
