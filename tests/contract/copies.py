"""The committed documents that are made from the code. ``python -m tests.contract.copies`` writes them anew."""

import json
import re
from pathlib import Path

from chalicelib import api
from chalicelib.api import description
from chalicelib.http.errors import CODES

ROOT = Path(__file__).resolve().parents[2]
OPENAPI = ROOT / "docs" / "openapi.json"
GUIDE = ROOT / "docs" / "api.md"
BASE_URL = "https://api.example.com/api/v1"


def openapi() -> str:
    return json.dumps(description.document(BASE_URL), indent=1, ensure_ascii=False) + "\n"


def guide() -> str:
    """docs/api.md with its two tables as the code has them now."""
    text = _with(GUIDE.read_text("utf-8"), "operations", _operations())
    return _with(text, "codes", _codes())


def _with(text: str, name: str, table: str) -> str:
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    assert pattern.search(text), f"docs/api.md has no table {name}"
    return pattern.sub(lambda found: found[1] + table + found[2], text)


def _operations() -> str:
    lines = ["| Operation | Scope | Does |", "|---|---|---|"]
    for name in api.GROUPS:
        for endpoint in api.load(name).endpoints:
            scope = f"`{endpoint.scope}`" if endpoint.scope else "none, public"
            lines.append(f"| `{endpoint.method} {endpoint.path}` | {scope} | {endpoint.summary} |")
    return "\n".join(lines) + "\n"


def _codes() -> str:
    lines = ["| Status | Code | Meaning | Beside it |", "|---|---|---|---|"]
    for code, entry in sorted(CODES.items(), key=lambda pair: (pair[1].status, pair[0])):
        extras = ", ".join(f"`{name}`" for name in entry.extras)
        lines.append(f"| {entry.status} | `{code}` | {entry.meaning} | {extras} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    OPENAPI.write_text(openapi(), "utf-8")
    GUIDE.write_text(guide(), "utf-8")
