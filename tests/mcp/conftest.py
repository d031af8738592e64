"""The workspace of the API's tests, and an assistant with its key."""

import pytest

from tests.api.conftest import House, api, house, now, served, settings
from tests.api.test_analytics import accounts, told
from tests.mcp.client import Assistant

__all__ = ["accounts", "api", "house", "now", "served", "settings", "told"]


@pytest.fixture
def assistant(house: House) -> Assistant:
    return Assistant(house.key)
