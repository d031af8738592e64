"""The last release and this one on the same store: side by side, after a migration, and after a roll-back.

The release is checked out from git's history, as ``released.json`` names it, and runs in a process of its own; so does
this tree. One embedded AWS serves both.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

import pytest

from chalicelib.domain.audit.causes import Cause, LaterKind
from chalicelib.store import issues, shapes
from chalicelib.store.packing import Shape
from chalicelib.store.transactions import commit
from local import embedded
from tests.plugins import aws_weather
from tests.store.capture import SAMPLES, described

ROOT = Path(__file__).resolve().parents[2]
COMMIT: str = json.loads(Path(__file__).with_name("released.json").read_text("utf-8"))["commit"]
# Of an action or issue: what the release that is asked takes from its own rules.
COMPUTED = frozenset({"priority", "estimatedScoreGain", "effort", "fix"})
ANSWER_SECONDS = 120.0  # some take a few seconds

Json = dict[str, Any]


class Release:
    """A process of one of the two trees."""

    def __init__(self, tree: Path, store_url: str) -> None:
        environment = {
            **embedded.ENVIRONMENT,
            "AWS_ENDPOINT_URL": store_url,
            embedded.OBJECTS_ENDPOINT: store_url,
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(tree),
            "CURSOR_SECRET": "a secret of both releases",
            "APP_URL": "https://app.example.com",
            "EXTRA_HOSTS": "hooks.example=127.0.0.1",  # nothing is sent there: it is not public
        }
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("beside.py"))],
            cwd=tree,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __call__(self, command: str, argument: Json | None = None) -> Json:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([command, argument or {}]) + "\n")
        self.process.stdin.flush()
        too_long = threading.Timer(ANSWER_SECONDS, self.process.kill)
        too_long.start()
        line = self.process.stdout.readline()
        too_long.cancel()
        assert line, f"{command} ended the process, or took {ANSWER_SECONDS:.0f} s; its standard error tells why"
        answer: Json = json.loads(line)
        return answer

    def stop(self) -> None:
        self.process.communicate(timeout=30)


def has_whole_history(root: Path) -> bool:
    """Whether a folder is the root of a clone that is not shallow."""
    asked = ["git", "rev-parse", "--is-shallow-repository", "--show-prefix"]
    found = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False)
    return found.returncode == 0 and found.stdout == "false\n\n"


@pytest.fixture(scope="module")
def released_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The released commit, checked out. Skips where there is no whole history that could hold it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed: the released commit is not there")
    found = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True, check=False)
    if found.returncode != 0:
        assert not has_whole_history(ROOT), f"released.json names {COMMIT}, which the history does not hold"
        pytest.skip(f"the released commit {COMMIT[:12]} is not there: a shallow clone, or no clone")
    folder = tmp_path_factory.mktemp("released")
    with tarfile.open(fileobj=BytesIO(found.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def releases(store: None, released_tree: Path) -> Iterator[tuple[Release, Release]]:
    """The last release and this one."""
    endpoint = embedded.Endpoint()
    both = Release(released_tree, endpoint.url), Release(ROOT, endpoint.url)
    yield both
    for one in both:
        one.stop()
    endpoint.stop()


def differences(known: Any, found: Any, place: str = "") -> list[str]:
    """Where what this release found differs from what the last one knows. Members that only this one has are fields
    that it added."""
    if isinstance(known, dict) and isinstance(found, dict):
        names = [name for name in known if name not in COMPUTED]
        lost = [f"{place} {name}: only the last release has it" for name in names if name not in found]
        both = [name for name in names if name in found]
        return lost + [one for name in both for one in differences(known[name], found[name], f"{place} {name}")]
    if isinstance(known, list) and isinstance(found, list) and len(known) == len(found):
        return [
            one
            for number, (mine, other) in enumerate(zip(known, found, strict=True))
            for one in differences(mine, other, f"{place} [{number}]")
        ]
    return [] if known == found else [f"{place}: {known!r:.200} and {found!r:.200}"]


def assert_same(known: Json, found: Json) -> None:
    """Both releases read everything, and with the same values."""
    for told in (known, found):
        assert {name: value for name, value in told.items() if isinstance(value, dict) and "failed" in value} == {}
    assert known.keys() == found.keys()
    assert differences(known, found) == []


def ignored(by: Release, written: Json, releases: tuple[Release, Release]) -> None:
    """One release writes the website's issues again, and both read them with what it changed."""
    site_id = written["site"]
    (other,) = (one for one in releases if one is not by)
    statuses = other("read", written)["issues"]
    issue_id = next(one for one, status in statuses.items() if status == "open")
    by("ignore", {"site": site_id, "issue": issue_id})
    known, found = (one("read", written) for one in releases)
    assert known["issues"] == {**statuses, issue_id: "ignored"}
    assert_same(known, found)


def causes_of_this_release(site_id: str) -> None:
    """Issues have causes of the kinds that the last release does not know."""
    with aws_weather.calm():
        book = issues.load_state(site_id)
        assert book is not None
        for issue, kind in zip(book.issues, get_args(LaterKind), strict=False):
            issue.cause = Cause.of(kind, kind)
        book.version += 1
        commit([issues.put_state(site_id, book, replaces=book.version - 1)])


def lacks(fields: list[str], released: list[str]) -> list[str]:
    """The fields of a released shape that are not there any more, not in their order, or of other values."""
    here = iter(fields)
    return [line for line in released if line not in here]


@pytest.mark.parametrize("shape", [one for one in shapes.ALL if one.marked != one.version], ids=lambda one: one.name)
def test_stored_types_that_the_last_release_reads_keep_all_their_fields(shape: Shape[Any], released_tree: Path) -> None:
    kept = (released_tree / SAMPLES.relative_to(ROOT) / f"{shape.name}.fields").read_text("utf-8")
    assert lacks(described(shape.type).splitlines(), kept.splitlines()) == [], (
        f"the last release does not read this: append fields to {shape.name} and change none, or remove marked"
    )


def test_a_changed_or_moved_field_of_a_stored_type_is_reported() -> None:
    released = ["fields in this order", "  kind: 'a' or 'b'", "  key: str"]
    assert lacks([*released, "  place: str = ''"], released) == []
    assert lacks(["fields in this order", "  kind: 'a' or 'b' or 'c'", "  key: str"], released) == released[1:]
    assert lacks([released[0], released[2], released[1]], released) == ["  key: str"]


def test_the_last_and_this_release_read_data_written_by_each_other(releases: tuple[Release, Release]) -> None:
    last, this = releases
    both = by_last, by_this = last("write"), this("write")
    for written in both:
        assert_same(last("read", written), this("read", written))
    ignored(last, by_this, releases)
    ignored(this, by_last, releases)

    causes_of_this_release(by_this["site"])
    assert_same(last("read", by_this), this("read", by_this))

    assert this("migrate") == {"done": True, "left": 0}
    for written in both:  # the update is rolled back
        ignored(last, written, releases)


def test_each_of_two_releases_processes_messages_and_jobs_created_by_the_other(
    releases: tuple[Release, Release],
) -> None:
    for writes, works in (releases, releases[::-1]):
        written = writes("write")
        before = {job["id"]: job for job in works("read", written)["jobs"]}
        told = works("work")
        assert {name for name, one in told.items() if one["messages"]} >= {"outbox", "writes", "imports"}
        assert [name for name, one in told.items() if one["failed"]] == []
        after = {job["id"]: job for job in works("read", written)["jobs"]}
        (write,) = (one for one in before if before[one]["kind"] == "write")
        assert (before[write].get("fence", 0), after[write]["fence"]) == (0, 1)
        tried = {one["event"]: one["tries"] for one in works("read", written)["deliveries"]}
        assert tried["ping"] == 1, tried
        assert_same(*(one("read", written) for one in releases))


def test_the_last_release_ignores_unknown_kinds_of_jobs(releases: tuple[Release, Release]) -> None:
    last, this = releases
    written = this("write")
    later = sorted({*this("kinds")["kinds"]} - {*last("kinds")["kinds"]})
    assert later, "take this test away where both know the same kinds"
    this("queue", {**written, "kinds": [*later, "keyword_tasks"]})
    ids = {f"job_{kind}" for kind in later}
    every = {"after": 120.0, "queues": ["imports", "exports", "sampling"]}
    found = last("sweep", {**every, "queues": ["imports", "sampling"]})["jobs"]
    assert "job_keyword_tasks" in found and ids.isdisjoint(found)
    assert ids <= {*this("sweep", every)["jobs"]}


def test_sessions_are_kept_if_the_last_release_runs_at_the_same_time(releases: tuple[Release, Release]) -> None:
    last, this = releases
    written = last("write")
    assert this("migrate") == {"done": True, "left": 0}
    begun = this("sign_in", written)
    assert this("session", begun) == {written["workspace"]: "owner"}
    other = last("add_person", {**written, "email": "second@acme.example"})
    last("set_role", {**written, **other, "role": "owner"})
    last("set_role", {**written, "role": "member"})
    assert this("session", begun) == {written["workspace"]: "member"}
    assert this("migrate") == {"done": True, "left": 0}, "the release notes say that people can sign in from then on"
    assert this("session", this("sign_in", {**written, **other})) == {written["workspace"]: "owner"}


def test_a_person_removed_by_the_last_release_loses_access_at_once(releases: tuple[Release, Release]) -> None:
    last, this = releases
    written, email = last("write"), {"email": "second@acme.example"}
    other = {**written, **this("add_person", {**written, **email})}
    begun = this("sign_in", other)
    assert this("session", begun) == {written["workspace"]: "admin"} and this("known", email) == {"known": True}
    last("remove_person", other)
    assert this("session", begun) == {} and this("known", email) == {"known": False}

    again = this("add_person", {**written, **email})
    assert again["person"] != other["person"]
    assert this("session", begun) == {written["workspace"]: "admin"}, "as a new person, by the same address"


def test_differences_between_releases_are_reported() -> None:
    assert differences({"a": [1, {"b": 2}], "effort": 1}, {"a": [1, {"b": 2}], "new": 1}) == []
    assert differences({"a": [{"b": 2, "old": 1}]}, {"a": [{"b": 2}]}) == [" a [0] old: only the last release has it"]
    assert differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == [" a [1] b: 2 and 3"]
    assert differences({"a": [1]}, {"a": [1, 2]}) == [" a: [1] and [1, 2]"]
    with pytest.raises(AssertionError, match="unknown"):
        assert_same({"rows": {"failed": "unknown"}}, {"rows": {}})


def test_a_release_that_does_not_answer_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ANSWER_SECONDS", 0.1)
    silent = object.__new__(Release)
    program = [sys.executable, "-c", "import time; time.sleep(60)"]
    silent.process = subprocess.Popen(program, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with pytest.raises(AssertionError, match="read ended the process, or took 0 s"):
        silent("read")
    silent.stop()


def test_a_shallow_git_clone_is_recognised_as_lacking_history(tmp_path: Path) -> None:
    whole, shallow = tmp_path / "whole", tmp_path / "shallow"

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, capture_output=True, check=True)

    assert not has_whole_history(tmp_path)
    git("init", str(whole))
    for number in "12":
        given = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.example", "-c", "commit.gpgsign=false")
        git("-C", str(whole), *given, "commit", "--allow-empty", "-m", number)
    git("clone", "--depth", "1", whole.as_uri(), str(shallow))
    (whole / "unpacked").mkdir()
    assert has_whole_history(whole)
    assert not has_whole_history(shallow) and not has_whole_history(whole / "unpacked")
