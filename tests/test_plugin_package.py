"""The WordPress plugin as ``make package`` packs it: whole, always the same, and of one version."""

import re
import zipfile
from pathlib import Path

from infra.package import pack_plugin

PLUGIN = Path(__file__).resolve().parent.parent / "plugins" / "wordpress" / "wos-connector"


def test_the_archive_holds_the_plugin_folder_and_is_reproducible(tmp_path: Path) -> None:
    archive = pack_plugin(tmp_path)
    first = archive.read_bytes()
    assert pack_plugin(tmp_path).read_bytes() == first
    files = {f"{PLUGIN.name}/{path.relative_to(PLUGIN)}": path for path in PLUGIN.rglob("*") if path.is_file()}
    with zipfile.ZipFile(archive) as packed:
        assert set(packed.namelist()) == set(files) and f"{PLUGIN.name}/wos-connector.php" in files
        for name, path in files.items():
            assert packed.read(name) == path.read_bytes()
    assert {path.suffix for path in files.values()} == {".php", ".txt"}


def test_the_plugin_names_the_same_version_everywhere() -> None:
    plugin = (PLUGIN / "wos-connector.php").read_text(encoding="utf-8")
    readme = (PLUGIN / "readme.txt").read_text(encoding="utf-8")
    told = re.findall(r"(?:Version: +|const VERSION = '|Stable tag: )([\d.]+)", plugin + readme)
    assert len(told) == 3 and len(set(told)) == 1
    assert len(re.findall(r"Requires PHP: +7\.4", plugin + readme)) == 2


def test_every_class_file_of_the_plugin_is_loaded() -> None:
    loaded = re.findall(r"'([a-z-]+)'", (PLUGIN / "includes" / "load.php").read_text(encoding="utf-8"))
    assert sorted(loaded) == sorted(path.stem.removeprefix("class-") for path in PLUGIN.rglob("class-*.php"))
