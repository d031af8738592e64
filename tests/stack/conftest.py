"""The workspace that requests are sent for is that of the API's own tests."""

from tests.api.conftest import house, settings

__all__ = ["house", "settings"]
