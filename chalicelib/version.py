"""The version of the service, read from ``data/VERSION``, which is packaged with the code."""

from pathlib import Path
from typing import Final

VERSION: Final = (Path(__file__).parent / "data" / "VERSION").read_text("utf-8").strip()
