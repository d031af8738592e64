"""Parts of a screen that are loaded concurrently. If a part is late, a notice is shown in its place, and the other
parts are shown."""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Final, Literal

from chalicelib import clock
from chalicelib.http.errors import ApiError

SECONDS: Final = 2.0  # how long a screen waits for its parts
PATIENT_SECONDS: Final = 20.0  # how long a screen waits for a part that a person requested again by its link
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """A part after loading: ``ready`` with its value, ``late``, ``failed``, or ``refused`` with the API's reason."""

    name: str
    state: Literal["ready", "late", "failed", "refused"]
    value: Any = None
    error: ApiError | None = None

    @property
    def ready(self) -> bool:
        return self.state == "ready"


def asked(wanted: Mapping[str, Callable[[], Any]], patient: str | None = None) -> dict[str, Part]:
    """Load the parts concurrently, and return each by its name. ``patient``: the part for which to wait longer."""
    pool = ThreadPoolExecutor(max(1, len(wanted)), thread_name_prefix="part")
    try:
        begun = clock.monotonic()
        running = {name: pool.submit(copy_context().run, ask) for name, ask in wanted.items()}
        return {
            name: _part(name, future, begun + (PATIENT_SECONDS if name == patient else SECONDS) - clock.monotonic())
            for name, future in running.items()
        }
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _part(name: str, future: "Future[Any]", seconds: float) -> Part:
    try:
        return Part(name, "ready", future.result(max(0.0, seconds)))
    except TimeoutError:
        return Part(name, "late")
    except ApiError as error:
        return Part(name, "refused", error=error)
    except Exception:
        _log.exception("a part of a screen failed")
        return Part(name, "failed")
