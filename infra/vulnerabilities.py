"""``python -m infra.vulnerabilities``: lists known vulnerabilities of the pinned packages that run in production.

It prints a line for each vulnerability, and ends with status 1 if it finds any. The database of vulnerabilities is on
the network. If it does not answer, a line says why nothing was checked, and the status is 0. To test that the database
really answers, the check also asks about a release that is known to be vulnerable.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
PINNED = ROOT / "requirements-host.txt"  # requirements of functions, of the plain process and of its command line
KNOWN_TO_BE_VULNERABLE: Final = "jinja2==2.4.1"
CONNECT_SECONDS: Final = 5
SECONDS: Final = 300.0


class NotLookedAt(Exception):
    """Raised if the database did not answer. The message says why."""


def known(requirements: Path, *options: str) -> list[str]:
    """List the known vulnerabilities of the packages in a requirements file, one line each. Raises ``NotLookedAt``."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
    command += ["--disable-pip", "--timeout", str(CONNECT_SECONDS), "--requirement", str(requirements), *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        raise NotLookedAt(f"the database did not answer within {SECONDS:.0f} s") from None
    except ValueError:
        said = done.stderr.strip().splitlines() or [f"pip-audit ended with {done.returncode}"]
        raise NotLookedAt(said[-1]) from None
    unknown = [one["name"] for one in packages if "skip_reason" in one]
    if unknown:
        raise NotLookedAt(f"the database has no answer for {len(unknown)} of {len(packages)} packages")
    return [
        f"{one['name']} {one['version']}: {found['id']}, fixed in {', '.join(found['fix_versions']) or 'none yet'}"
        for one in packages
        for found in one["vulns"]
    ]


def main() -> int:
    """Check and print. Returns the exit status."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            control = Path(folder) / "control.txt"
            control.write_text(f"{KNOWN_TO_BE_VULNERABLE}\n", encoding="utf-8")
            if not known(control, "--no-deps"):
                raise NotLookedAt(f"the database does not know that {KNOWN_TO_BE_VULNERABLE} is vulnerable")
        found = known(PINNED, "--require-hashes")
    except NotLookedAt as reason:
        print(f"vulnerabilities: skipped: {reason}")
        return 0
    print("\n".join(found) if found else f"vulnerabilities: none is known of the packages of {PINNED.name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
