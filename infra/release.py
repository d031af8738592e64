"""``python -m infra.release``: checks that the version in VERSION can be released, and prints the next step.

If steps before the release are missing, it prints a line for each and exits with status 1.
"""

import re
import sys
from pathlib import Path
from typing import Final

from chalicelib.version import VERSION

NOTES: Final = "chalicelib/data/changelog.md"
_SECTION: Final = re.compile(r"^## (.+)\n", re.MULTILINE)
_OPERATORS: Final = re.compile(r"^### Operators\n+- \S", re.MULTILINE)


def missing(version: str, notes: str) -> list[str]:
    """List the steps that are missing before this version can be released. ``notes``: the text of the changelog."""
    steps = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        steps.append(f"VERSION: write major.minor.patch, such as 1.2.0, not `{version}`")
    _, *sections = _SECTION.split(notes)
    title, text = (sections[0], sections[1]) if sections else ("", "")
    wanted = f"## {version} (<date>)"
    if title == "Unreleased":
        steps.append(f"{NOTES}: rename `## Unreleased` to `{wanted}`")
    elif not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", title):
        steps.append(f"{NOTES}: begin with a section `{wanted}`" + (f", not `## {title}`" if title else ""))
    if not _OPERATORS.search(text):
        steps.append(f"{NOTES}: say in `### Operators` of that section what operators must do, or `- Nothing to do.`")
    return steps


def main() -> int:
    steps = missing(VERSION, (Path(__file__).resolve().parent.parent / NOTES).read_text("utf-8"))
    lines = steps or [
        f"{VERSION} can be released. Commit, run `git tag v{VERSION}` and `make deploy`. Then run",
        "`.venv/bin/python -m tests.store.released` and commit tests/store/released.json.",
    ]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if steps else 0


if __name__ == "__main__":
    sys.exit(main())
