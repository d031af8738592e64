"""Builds the deployment: ``python -m infra.package FOLDER`` writes ``sam.yaml`` and ``deployment.zip`` to the folder.

It also writes ``wos-connector.zip``, the installable WordPress plugin. Chalice makes template and archive. Then
``infra/rewriting.py`` gives each endpoint group and each worker its own function and rights. Files that no function
reads are removed from the archive, and bytecode is added. A function's folder is read-only. Without bytecode, Python
would compile every module again at each cold start, and the cold start would take more than twice as long. At the end,
the app of each function is imported from the packed files only, as a check.
"""

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import yaml

from chalicelib import api
from infra import elf
from infra.functions import FUNCTIONS
from infra.rewriting import NO_GROUP, rewritten

ROOT = Path(__file__).resolve().parent.parent
STAGE = "prod"
REGION = "us-east-1"  # Chalice needs a region, but nothing in the template depends on it
MOST_BYTES = 120 * 1024 * 1024  # size when unzipped; Lambda's own limit is 250 MB
SERVICES = ("dynamodb", "kms", "lambda", "s3", "sesv2", "sqs")  # AWS services that the app calls
FOR_BUILDERS = frozenset({".pyi", ".pyx", ".pxd", ".h", ".hpp", ".c", ".cpp", ".a"})
NUMPY_TOOLS = ("distutils", "f2py", "_core/include", "_pyinstaller")  # for building and packing extensions
# The code of a cold start of an API function, with the clients of its first request.
IMPORT_API = """
import sys, time
sys.path.insert(0, ".")
import app
print(time.process_time())
from chalicelib.store import client
client.dynamodb(), client.sqs(), client.kms(), client.s3()
"""
# A worker is imported at its function's first message.
IMPORT_WORKERS = """
import importlib, pkgutil, sys
sys.path.insert(0, ".")
import app, chalicelib.workers
for module in pkgutil.walk_packages(chalicelib.workers.__path__, "chalicelib.workers."):
    importlib.import_module(module.name)
"""
MOST_IMPORT_SECONDS = 0.5  # CPU seconds to import the app of one endpoint group
IMPORT_TRIES = 3  # on a busy machine a try may take longer
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the date of every zip entry, so that the same content makes the same archive


class CannotPackage(Exception):
    """Raised if the package cannot be built or deployed. The message says why."""


def build(folder: Path) -> tuple[Path, Path]:
    """Write template and archive to ``folder``, and return their paths. Raises ``CannotPackage``."""
    folder.mkdir(parents=True, exist_ok=True)
    template, archive = make_template(folder), folder / "deployment.zip"
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary)
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(tree)
        _prune(tree)
        _strip(tree)
        compileall.compile_dir(
            tree, quiet=2, stripdir=str(tree), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
        seconds = {group: _import_group(tree, group) for group in (*api.GROUPS, *api.ROOMS, NO_GROUP)}
        _run(tree, IMPORT_WORKERS, "all")
        files, size = _pack(tree, archive)
    if size > MOST_BYTES:
        raise CannotPackage(f"the package has {_megabytes(size)} unzipped; the limit is {_megabytes(MOST_BYTES)}")
    print(f"{archive}: {_megabytes(archive.stat().st_size)}, {files} files, {_megabytes(size)} unzipped")
    for group, taken in seconds.items():
        verdict = "" if taken <= MOST_IMPORT_SECONDS else f", more than the limit of {MOST_IMPORT_SECONDS}"
        whose = "queues and schedules" if group == NO_GROUP else group
        print(f"the app of {whose} is imported from the package in {taken:.2f} s of CPU{verdict}")
    rights = folder / "rights.txt"
    rights.write_text("".join(f"{function.name} may: {function.rights}\n" for function in FUNCTIONS), "utf-8")
    print(f"{rights}: the rights of each function")
    _lint(template)
    print(f"{template}: {_megabytes(template.stat().st_size)}, checked by cfn-lint")
    plugin = pack_plugin(folder)
    print(f"{plugin}: {plugin.stat().st_size // 1024} KB, the WordPress plugin")
    return template, archive


def pack_plugin(folder: Path) -> Path:
    """Pack the WordPress plugin into a folder, and return the archive's path."""
    archive = folder / "wos-connector.zip"
    _pack(ROOT / "plugins" / "wordpress", archive)
    return archive


def make_template(folder: Path, project: Path = ROOT) -> Path:
    """Write the template to deploy, and the archive as Chalice packs it, to a folder. Raises ``CannotPackage``."""
    _chalice(folder, project)
    template = folder / "sam.yaml"
    found = rewritten(yaml.safe_load(template.read_text(encoding="utf-8")))
    template.write_text(yaml.dump(found, Dumper=_Dumper, width=120), encoding="utf-8")
    return template


class _Dumper(yaml.SafeDumper):
    """Writes YAML without aliases, because CloudFormation does not read them."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _chalice(folder: Path, project: Path) -> None:
    command = [
        *(str(Path(sys.executable).with_name("chalice")), "package", "--stage", STAGE),
        *("--pkg-format", "cloudformation", "--template-format", "yaml"),
        *("--merge-template", str(ROOT / "infra" / "template.yaml"), str(folder.resolve())),
    ]
    environment = {"AWS_DEFAULT_REGION": REGION, **os.environ}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    # Chalice continues without packages that have no wheel for the functions' platform.
    if done.returncode != 0 or "Could not install dependencies" in done.stdout + done.stderr:
        raise CannotPackage(f"chalice package failed:\n{done.stdout}{done.stderr}")


def _prune(tree: Path) -> None:
    """Remove files that no function needs: build tools, type stubs, tests of packages, and botocore's data of unused
    services."""
    for folder in (tree / "botocore" / "data").iterdir():
        if folder.is_dir() and folder.name not in SERVICES:
            shutil.rmtree(folder)
    for folder in sorted(tree.rglob("tests")):
        if folder.is_dir() and folder.relative_to(tree).parts[0] != "chalicelib":
            shutil.rmtree(folder)
    for path in tree.rglob("*"):
        if path.suffix in FOR_BUILDERS and path.is_file():
            path.unlink()
    for name in NUMPY_TOOLS:
        shutil.rmtree(tree / "numpy" / name, ignore_errors=True)


def _strip(tree: Path) -> None:
    """Strip compiled libraries to the parts that are loaded.

    Debug information makes some of them ten times as large.
    """
    for path in tree.rglob("*.so*"):
        if path.is_file():
            path.write_bytes(elf.stripped(path.read_bytes()))


def _import_group(tree: Path, group: str) -> float:
    """Measure the CPU seconds that a function of the group takes to start: the best of ``IMPORT_TRIES`` tries."""
    return min(float(_run(tree, IMPORT_API, group)) for _ in range(IMPORT_TRIES))


def _run(tree: Path, code: str, groups: str) -> str:
    """Run code in the unpacked archive as a function of these groups, without any other package. Returns the output."""
    environment = {"AWS_DEFAULT_REGION": REGION, "AWS_EC2_METADATA_DISABLED": "true", "ENDPOINT_GROUPS": groups}
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=tree, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotPackage(f"the app of {groups} cannot be imported from the package:\n{done.stderr}")
    return done.stdout


def _pack(tree: Path, archive: Path) -> tuple[int, int]:
    """Pack the folder reproducibly: the same content gives the same bytes.

    Returns the number of files and their total bytes.
    """
    size = 0
    paths = sorted(path for path in tree.rglob("*") if path.is_file())
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in paths:
            entry = zipfile.ZipInfo(str(path.relative_to(tree)), EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (path.stat().st_mode & 0o777) << 16
            content = path.read_bytes()
            size += len(content)
            packed.writestr(entry, content)
    return len(paths), size


def _lint(template: Path) -> None:
    command = shutil.which("cfn-lint", path=str(Path(sys.executable).parent)) or "cfn-lint"
    done = subprocess.run([command, str(template)], capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotPackage(f"cfn-lint:\n{done.stdout}{done.stderr}")


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MB"


if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]))
    except CannotPackage as error:
        sys.exit(str(error))
