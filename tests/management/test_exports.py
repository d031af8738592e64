"""Exports into a folder: of a website, and of all websites of a workspace."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from chalicelib.operations import accounts
from management import exports
from tests.api import seed
from tests.api.conftest import settle
from tests.management.conftest import Run


@pytest.fixture(autouse=True)
def without_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on an operator's machine."""
    monkeypatch.delenv("CURSOR_SECRET", raising=False)


def test_exporting_a_workspace_writes_one_file_per_website(run: Run, tmp_path: Path) -> None:
    house = settle()
    seed.settled(house.site)
    seed.audited(settle("Strangers", "strangers.example").site)
    folder = tmp_path / "new" / "folder"
    told = run("workspaces", "export", house.workspace_id, str(folder))
    files = {f"{house.site.id}.zip", f"{house.other_site.id}.zip"}
    assert {path.name for path in folder.iterdir()} == {*files, "workspace.json"}
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}, "only the owner may read them"
    assert {one["file"] for one in told["items"]} == files and "CURSOR_SECRET" not in os.environ
    about = json.loads((folder / "workspace.json").read_text())
    assert [one["role"] for one in about["people"]] == ["owner"] and about["exports"] == told["items"]
    assert "wos_" not in json.dumps(about), "no key stands there"
    with zipfile.ZipFile(folder / f"{house.site.id}.zip") as archive:
        assert archive.testzip() is None
        assert archive.read("pages.jsonl").count(b"\n") == 3
        assert len(archive.read("search_queries.jsonl").splitlines()) > 0
    again = run("export", house.site.id, str(folder))
    assert [one["rows"] for one in again["items"]] == [
        one["rows"] for one in told["items"] if one["id"] == house.site.id
    ]


def test_a_workspace_is_exported_only_into_an_empty_folder(
    run: Run, refused: Callable[..., str], tmp_path: Path
) -> None:
    house = settle()
    command = ("workspaces", "export", house.workspace_id)
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "mine").write_text("kept")
    assert refused(*command, str(tmp_path / "used")) == (
        f"{tmp_path / 'used'} is not empty. Name a new folder, or empty this one."
    )
    assert [path.name for path in (tmp_path / "used").iterdir()] == ["mine"]
    (tmp_path / "empty").mkdir()
    run(*command, str(tmp_path / "empty"))
    before = {path: path.read_bytes() for path in (tmp_path / "empty").iterdir()}
    assert "is not empty" in refused(*command, str(tmp_path / "empty"))
    assert {path: path.read_bytes() for path in (tmp_path / "empty").iterdir()} == before

    with exports.new_folder(tmp_path / "twice"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "iterdir", lambda _: iter(()))  # both looked before either wrote
        assert "cannot be written: File exists" in refused(*command, str(tmp_path / "twice"))
    assert [path.name for path in (tmp_path / "twice").iterdir()] == ["workspace.part"]


def test_a_folder_that_cannot_be_written_is_reported_in_one_line(
    run: Run, refused: Callable[..., str], tmp_path: Path
) -> None:
    house = settle()
    (tmp_path / "file").write_text("in the way")
    for command in (("workspaces", "export", house.workspace_id), ("export", house.site.id)):
        assert "cannot be written" in refused(*command, str(tmp_path / "file"))
    assert "no workspace" in refused("workspaces", "export", "wsp_none", str(tmp_path / "other")).lower()
    assert not (tmp_path / "other").exists() and accounts.existing_workspace(house.workspace_id)
