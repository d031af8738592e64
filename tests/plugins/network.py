"""What tests let the service reach."""

from collections.abc import Iterator

import pytest

from chalicelib.settings.reading import forget_settings


@pytest.fixture
def loopback_allowed() -> Iterator[None]:
    """The network guard lets this machine's own addresses through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
        forget_settings()
        yield
    forget_settings()
