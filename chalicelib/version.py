"""The version of the service. ``data/VERSION`` is its one place, and is packaged with the code."""

from pathlib import Path
from typing import Final

VERSION: Final = (Path(__file__).parent / "data" / "VERSION").read_text("utf-8").strip()
