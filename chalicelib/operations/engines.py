"""Whether the settings of this process name an engine for speed tests and a source of field data.

Separate from ``operations.speed``, which the API imports: the connectors are heavy, and only the command line needs
them.
"""

from collections.abc import Callable

from chalicelib.connectors import field_data, speed_tests
from chalicelib.connectors.errors import NotConnected


def missing_engine() -> str | None:
    """Why no page can be tested with the settings of this process; None if pages can be tested."""
    return _not_connected(speed_tests.connected)


def missing_field_data() -> str | None:
    """Why no field data can be fetched with the settings of this process; None if it can."""
    return _not_connected(field_data.connected)


def _not_connected(connect: Callable[[], object]) -> str | None:
    try:
        connect()
    except NotConnected as error:
        return error.message
    return None
