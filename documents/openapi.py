"""Makes docs/openapi.json: the description that ``GET /openapi.json`` serves, for an API at an example address."""

import json
from functools import lru_cache
from typing import Any, Final

from chalicelib.api import description

BASE_URL: Final = "https://api.example.com/api/v1"


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """Return the OpenAPI description. Do not change the result: it is cached."""
    return description.document(BASE_URL)


def text() -> str:
    """Return the content of the file."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
