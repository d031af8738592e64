"""Checks whether the settings name an engine for speed tests and a source of field data.

Only the command line needs this module. It is not a part of ``operations.speed``, which the API imports, because the
connectors needed here are slow to load.
"""

from collections.abc import Callable

from chalicelib.connectors import field_data, speed_tests
from chalicelib.connectors.errors import NotConnected


def missing_engine() -> str | None:
    """Return why no page can be tested with this process's settings. Returns None if pages can be tested."""
    return _not_connected(speed_tests.connected)


def missing_field_data() -> str | None:
    """Return why no field data can be fetched with this process's settings. Returns None if it can be fetched."""
    return _not_connected(field_data.connected)


def _not_connected(connect: Callable[[], object]) -> str | None:
    try:
        connect()
    except NotConnected as error:
        return error.message
    return None
