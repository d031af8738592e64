"""The whole service as one process: API, queue consumers and schedules. The standard AWS environment variables
configure it."""

import contextlib
import logging
from typing import get_args

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import addresses, health, key_file, keys, schedule_locks, secrets
from chalicelib.store.errors import AWS_ERRORS, AWS_NOT_SET_UP
from chalicelib.store.queues import Queue
from host.forwarded import Proxies
from host.jobs import Jobs
from host.messages import Polling
from host.pump import Pump
from host.schedules import Schedules
from host.server import ApiServer

CURSOR_SECRET_CHARACTERS = 32
_AWS_IS_MISSING = (
    "AWS is not set up: set AWS_REGION, and AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (any text "
    "works for your own AWS-compatible store)"
)
DRAIN_SECONDS = 25.0  # time for requests and jobs; SQS delivers the message of an unfinished job again

log = logging.getLogger(__name__)


class CannotStart(Exception):
    """Raised if the service cannot start. The message says why and what to do, in one line."""


class Host:
    """One process of the service. Several may run at the same time on the same tables and queues."""

    url: str

    def __init__(self, address: str, port: int) -> None:
        """``port``: 0 for any free port."""
        self._address = address
        self._port = port
        self._jobs = Jobs()
        self._parts = contextlib.ExitStack()

    def start(self) -> None:
        """Start the API, then the consumers and schedules.

        If the start fails, everything is stopped and ``CannotStart`` is raised. If a setting names an unknown endpoint
        group, app.py ends the process.
        """
        _refuse_unusable_settings()
        proxies = _trusted_proxies()
        try:
            _refuse_missing_parts()
            _tell_missing_address()
            self._start(proxies)
        except AWS_NOT_SET_UP as error:
            self._parts.close()
            raise CannotStart(_AWS_IS_MISSING) from error
        except AWS_ERRORS as error:
            self._parts.close()
            raise CannotStart(f"AWS: {' '.join(str(error).split())}") from error
        except BaseException:
            self._parts.close()
            raise

    def stop(self) -> list[str]:
        """Accept no more requests, messages and schedules, and wait at most ``DRAIN_SECONDS`` for running jobs.

        Jobs that check their remaining time stop early and let another worker continue. Returns the function of each
        job that is still running.
        """
        began = clock.monotonic()
        self._parts.close()
        left = self._jobs.end_within(max(0.0, DRAIN_SECONDS - (clock.monotonic() - began)))
        if left:
            log.warning("still running at shutdown; other processes will continue it: %s", ", ".join(sorted(left)))
        return left

    def _start(self, proxies: Proxies) -> None:
        from app import app  # reads the settings

        pump = Pump(app, Polling(), self._jobs)
        schedules = Schedules(app, self._jobs, schedule_locks.claim)
        try:
            api = ApiServer(app, self._port, address=self._address, jobs=self._jobs, proxies=proxies)
        except OSError as error:
            raise CannotStart(f"{self._address} port {self._port} cannot be used: {error.strerror}") from error
        self._parts.callback(api.stop)
        self.url = api.url
        pump.start()
        self._parts.callback(pump.wait)
        self._parts.callback(pump.stop)
        schedules.start()
        self._parts.callback(schedules.stop)


def _refuse_unusable_settings() -> None:
    settings = core_settings()
    if len(settings.cursor_secret) < CURSOR_SECRET_CHARACTERS:
        raise CannotStart(
            f"CURSOR_SECRET must have {CURSOR_SECRET_CHARACTERS} characters or more, the same in every process: "
            "openssl rand -hex 32 makes one"
        )
    if settings.secrets_key.startswith(key_file.PREFIX):
        try:
            secrets.seal(secrets.Secret("start"), check="start")
        except AWS_ERRORS as error:
            raise CannotStart(f"SECRETS_KEY: {error}") from error
        exposed = key_file.exposed(settings.secrets_key)
        if exposed is not None:
            log.warning(
                "SECRETS_KEY: %s: anybody who can read this file can decrypt every stored secret; run chmod 600 on it",
                exposed,
            )


def _trusted_proxies() -> Proxies:
    try:
        return Proxies(core_settings().trusted_proxies)
    except ValueError as error:
        raise CannotStart(f"TRUSTED_PROXIES: {error}; give addresses or networks, separated by commas") from error


def _tell_missing_address() -> None:
    if not core_settings().app_url and addresses.public() is None:
        log.warning(
            "no public address is known, so links in answers, events and mails are only paths: set APP_URL, or store "
            "the address with manage.py address set URL"
        )


def _refuse_missing_parts() -> None:
    faults = [fault for table in keys.TABLES for fault in health.table_faults(table)]
    prefix, names = core_settings().queue_prefix, get_args(Queue)
    faults += [f"the queue {prefix}{name} is missing" for name in names if health.queue_is_missing(name)]
    if faults:
        raise CannotStart(f"{'; '.join(faults)}: manage.py store create creates the missing parts")
