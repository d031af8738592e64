"""A real WordPress and the real service: connected by the operator, it tells its content and is written into."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.service import ROOT, Audited, audited
from tests.real.wordpress import WordPress, started
from tests.real.wordpress_subject import PLUGIN, Subject

pytestmark = pytest.mark.real


class Connected:
    """An audited WordPress, and the operator's command line on the service that audited it."""

    def __init__(self, site: WordPress, service: Audited, folder: Path) -> None:
        self.site, self.service = site, service
        self._folder = folder

    def manage(self, *command: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "manage.py", "--json", *command],
            cwd=ROOT,
            env={**os.environ, "LOCAL_DIR": str(self._folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    folder = tmp_path_factory.mktemp("service")
    with started() as site:
        site.seed(6)
        site.activate(PLUGIN)
        with audited(folder, f"{site.url}/", 30) as service:
            yield Connected(site, service, folder)
            assert service.errors() == []
        assert site.complaints() == []


def test_it_is_connected_and_tells_its_content(shop: Connected, tmp_path: Path) -> None:
    assert shop.service.audit["status"] == "done"
    site_id = shop.service.site.removeprefix("/sites/")
    run = json.loads((shop._folder / "run.json").read_text(encoding="utf-8"))
    person = shop.manage("people", "list", run["workspaceId"])["items"][0]["id"]
    subject = Subject(shop.site, "home", f"{shop.site.url}/")
    credentials = tmp_path / "credentials.json"
    credentials.write_text(json.dumps({"url": shop.site.url, "code": subject.code()}), encoding="utf-8")
    connected = shop.manage("connections", "set", site_id, "cms", "--file", str(credentials), "--person", person)
    assert (connected["platform"], connected["writable"]) == ("wordpress", True)
    summary = shop.service.get("")
    assert summary["cms"]["writable"] and summary["cms"]["writableFields"] != []
    (cms,) = [one for one in summary["connections"] if one["kind"] == "cms"]
    assert cms["lastImportAt"] is None
    shop.site.run("do_action('wos_push');")
    assert shop.site.run("echo json_encode(get_option('wos_problem'));") is False
    (cms,) = [one for one in shop.service.get("")["connections"] if one["kind"] == "cms"]
    told = shop.site.sql("select count(*) from wp_wos_state where name like 'told:%'")
    assert cms["lastImportAt"] is not None and cms["rowsLastImport"] == int(told[0][0]) > 6
    shop.site.deactivate(PLUGIN.name)
    checked = shop.manage("connections", "check", site_id)["items"][0]
    assert checked["failures"] == 1 and "plugin is off" in checked["error"]
    shop.site.activate(PLUGIN)
    assert shop.manage("connections", "check", site_id)["items"][0]["error"] is None
