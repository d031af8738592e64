"""The server of mutants, on a small project of its own: what is killed, what survives, what has no end."""

import json
import subprocess
import sys
from pathlib import Path

from tests.mutation.running import ROOT

MODULE = """LEAST = 1
def larger(a, b):
    return a if a > b else b
def steps(number):
    count = 0
    while number > 0:
        number -= LEAST
        count += 1
    return count
def unused():
    return 1
"""
TESTS = """from chalicelib.small import larger, steps
def test_larger():
    assert larger(1, 2) == 2 and larger(2, 1) == 2
def test_steps():
    assert steps(3) == 3
"""
# Profiles as those of tests/lengths.py: the server changes the quick one.
CONFTEST = "from hypothesis import settings\nsettings.register_profile('quick')\n"
PROGRAM = """
import json, pathlib, sys
from tests.mutation import operators, running
running.ROOT = pathlib.Path(sys.argv[1])
running.CPU_SPARE = 1.0
sys.path.insert(0, sys.argv[1])
baseline = running.measured(["chalicelib/small.py"], ["tests/test_small.py"])
source = (running.ROOT / "chalicelib/small.py").read_text()
mutants = [mutant for place in operators.places("chalicelib/small.py", source) for mutant in place]
changed = {mutant: mutant.source(source).splitlines()[mutant.lines[0] - 1].strip() for mutant in mutants}
wanted = [(mutant, baseline) for mutant, line in changed.items() if line in json.loads(sys.argv[2])]
for mutant, outcome in running.in_turn(2, wanted):
    print(json.dumps([changed[mutant], outcome.state, outcome.by.partition("::")[2]]))
"""


def test_what_becomes_of_mutants(tmp_path: Path) -> None:
    for name, text in {
        "chalicelib/small.py": MODULE,
        "tests/conftest.py": CONFTEST,
        "tests/test_small.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    wanted = {
        "return a if a >= b else b": ["survived", ""],
        "return a if a <= b else b": ["killed", "test_larger"],
        "LEAST = 2": ["killed", "test_steps"],
        "LEAST = 0": ["timeout", ""],
        "return 2": ["not run", ""],
    }
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), json.dumps(list(wanted))]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert {line: result for line, *result in map(json.loads, ended.stdout.splitlines())} == wanted


def test_a_run_from_the_command_line() -> None:
    command = [sys.executable, "-m", "tests.mutation", "--seed", "1", "--count", "2", "--jobs", "1", "cursors"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.startswith("seed 1: 2 mutants of ")
    assert "100.0% of 2 killed" in ended.stdout
