"""``python -m host``: serves until SIGTERM or Ctrl-C, and then ends within thirty seconds."""

import argparse
import logging
import os
import sys
import traceback
from typing import NoReturn

from chalicelib.settings.core import core_settings
from chalicelib.settings.reading import settle_region
from host.service import CannotStart, Host
from host.shutdown import ended_in_time, interrupts

DEFAULT_ADDRESS = "127.0.0.1"
DEFAULT_PORT = 8000
_EPILOG = "For health checks: GET /api/v1/plans answers 200 without a key while the process serves."


def main() -> int:
    """Serve until a signal.

    Returns the exit status: 0, or 1 if the service could not start. In this case, the reason is on standard error in
    one line.
    """
    parser = argparse.ArgumentParser(prog="python -m host", description=__doc__, epilog=_EPILOG)
    parser.add_argument(
        "--address",
        default=DEFAULT_ADDRESS,
        help="the address to listen on; 0.0.0.0: all addresses (default: %(default)s)",
    )
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="the port to listen on; 0: any free port (default: %(default)s)"
    )
    given = parser.parse_args()
    settle_region()
    _log()
    stopping = interrupts()
    host = Host(given.address, given.port)
    try:
        host.start()
    except CannotStart as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"serving on {host.url}\n")
    sys.stdout.flush()
    stopping.wait()
    with ended_in_time():
        host.stop()
    return 0


def _log() -> None:
    """Log the service's own lines to standard output as JSON, like a function, and all other lines to standard
    error."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("host").setLevel(core_settings().log_level)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # waiting requests are normal
    logging.getLogger("chalicelib").propagate = False  # it has a handler of its own


def run() -> NoReturn:
    """Run ``main`` and end the process at once, without waiting for the threads of jobs that still run."""
    try:
        status = main()
    except SystemExit as error:
        if isinstance(error.code, str):
            sys.stderr.write(f"{error.code}\n")
        status = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
