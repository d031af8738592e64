"""The workspace of the tests of the API, whose settings are those of a deployed one."""

from tests.api.conftest import api, bucket, house, settings

__all__ = ["api", "bucket", "house", "settings"]
