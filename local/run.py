"""``make run``: starts the local service, audits a website and shows the progress, and serves until Ctrl-C."""

import logging
import os
import sys
import threading
import traceback
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.markup import escape

from host.shutdown import INTERRUPTED, ended_in_time, interrupts
from local.options import BadOption, Options
from local.terminal import Terminal

if TYPE_CHECKING:
    from local.report import Report
    from local.service import Service


def main() -> int:
    """Run the service. Returns the exit status.

    The status is 0, or 1 if the service could not start. With the option ``ONCE``, it is also 1 if the audit failed.
    """
    console = Terminal(file=sys.stdout)  # stays on the terminal when sys.stdout becomes the log
    try:
        options = Options.read()
        options.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (BadOption, OSError) as error:
        return _failed(console, str(error))
    _log_to(options)
    return _serve(console, options, interrupts())


def _serve(console: Console, options: Options, stopping: threading.Event) -> int:
    # Imported only now: modules take sys.stdout for their loggers when they are imported, and it is now the log.
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
        with ended_in_time():
            service.stop()


def _show(console: Console, service: "Service", stopping: threading.Event) -> int:
    from local.report import Interrupted, Report

    report = Report(console, service)
    report.addresses()
    service.mailbox.told = report.mail
    try:
        failure = tour(console, service, report, stopping)
    except Interrupted:
        return INTERRUPTED
    if failure is not None:
        _failed(console, failure)
    if service.options.once and failure is not None:
        return 1  # so that the reason is the last line
    report.calls()
    if service.options.once:
        return 0
    console.print("\nServing until Ctrl-C.", highlight=False)
    stopping.wait()
    return 0


def tour(console: Console, service: "Service", report: "Report", stopping: threading.Event) -> str | None:
    """Audit the website. On the demo website, also write one change and send some prompts.

    Returns in words what failed; None if nothing failed. Raises ``Interrupted``.
    """
    from chalicelib.operations.errors import Refused
    from local.approval import Approval, NotShown
    from local.questions import Questions
    from local.report import ApiRefusal
    from local.tested import SpeedTests

    failure: str | None = None
    demo = service.options.site is None
    tests = SpeedTests(console, service, stopping.wait)
    try:
        if demo:
            tests.before_audit()
        audit = report.audit(stopping.wait)
        if audit["status"] != "done":
            return f"the audit is {audit['status']}: {audit['error'] or 'no reason was given'}"
        report.result(audit)
        expected = {"audit.finished": audit["id"]}
        if demo:
            service.connect_search()
        if demo and not service.options.once:
            service.connect_analytics()
        if demo:
            tests.after_audit()
            try:
                resolved = Approval(console, service, stopping.wait).show()
                if resolved is not None:
                    expected |= {"write.applied": resolved, "issue.resolved": resolved}
            except NotShown as reason:
                failure = str(reason)
            Questions(console, service, stopping.wait).show()
        report.webhooks(expected)
        report.search(audit, stopping.wait)
    except Refused as refusal:
        return f"no audit was started: {refusal.message}"
    except ApiRefusal as refusal:
        return f"the service did not answer: {refusal}"
    return failure


def _failed(console: Console, message: str) -> int:
    console.print(f"[red]{escape(message)}", highlight=False, soft_wrap=True)
    return 1


def _log_to(options: Options) -> None:
    """Send log lines and the output of libraries to service.log instead of the terminal."""
    log = (options.folder / "service.log").open("w", buffering=1, encoding="utf-8")
    sys.stdout = sys.stderr = log
    logging.basicConfig(stream=log, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")


def run() -> NoReturn:
    """Run ``main`` and end the process at once, even after a failure.

    A normal exit would wait for threads of running jobs whose calls will never be answered, and make other threads
    crash.
    """
    try:
        status = main()
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.__stdout__.flush() if sys.__stdout__ else None
    os._exit(status)


if __name__ == "__main__":
    run()
