"""``python -m tests.store.released``: record this commit, and the versions of its stored shapes, as released."""

import json
import subprocess
from pathlib import Path
from typing import Final

from chalicelib.store import shapes

RELEASED: Final = Path(__file__).with_name("released.json")


def record() -> None:
    found = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    versions = {shape.name: shape.version for shape in shapes.ALL}
    marked = {shape.name: shape.marked for shape in shapes.ALL if shape.marked != shape.version}
    told = {"commit": found.stdout.strip(), "shapes": versions, "marked": marked}
    RELEASED.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    record()
