"""A real robots.txt under the plugin: a full disk, a killed process, missing rights, others who write, and networks.

PHP runs as a user without rights of its own, since root may read and write everything.
"""

import itertools
import json
import os
import pwd
import secrets
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import OutsideError, Unavailable
from chalicelib.domain.connector.messages import FileChange, FileOutcome
from chalicelib.domain.readiness.robots_block import with_block
from chalicelib.settings.reading import forget_settings
from tests.connectors import protocol
from tests.real.wordpress import Killed, WordPress, started
from tests.real.wordpress_subject import PLUGIN, Subject

pytestmark = pytest.mark.real

USER = "nobody" if os.geteuid() == 0 else None
STOPS = Path(__file__).parent / "stops.php"
OWN = b"User-agent: *\nDisallow: /private/\n" + b"# a line of the owner\n" * 150
BLOCK = "User-agent: GPTBot\nDisallow: /\n" + "# a line of the service\n" * 100
WRITTEN = with_block(OWN, BLOCK)
# Outcomes as the plugin's own process has them.
CHANGE = (
    "$body = json_decode(getenv('CHANGE'), true);"
    "$done = Wos\\Writer::run($body, new Wos\\Target_File($body['file']), null, Wos\\Files::MOST);"
    "echo json_encode(is_wp_error($done) ? ['state' => $done->get_error_code()] : $done);"
)


@pytest.fixture(scope="module")
def site() -> Iterator[WordPress]:
    with started(user=USER) as site:
        site.seed(4)
        site.activate(PLUGIN)
        site.root.chmod(0o777)
        yield site
        site.uninstall(PLUGIN.name)
        assert left_over(site) == []
        assert site.complaints() == []


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def robots(site: WordPress) -> Iterator[Path]:
    """The owner's robots.txt, which the server's user owns."""
    path = site.root / "robots.txt"
    put(path, OWN)
    yield path
    for one in (path, path.with_name("other.txt")):
        one.unlink(missing_ok=True)
    site.root.chmod(0o777)
    site.sql("delete from wp_wos_state where name like 'lock:%'")


def put(path: Path, text: bytes, mode: int = 0o644) -> None:
    path.write_bytes(text)
    if USER is not None:
        os.chown(path, *owner())
    path.chmod(mode)


def owner() -> tuple[int, int]:
    entry = pwd.getpwnam(USER or "")
    return entry.pw_uid, entry.pw_gid


def left_over(site: WordPress) -> list[str]:
    return [path.name for path in site.root.iterdir() if ".wos-" in path.name]


def body(**more: Any) -> dict[str, Any]:
    asked = {"changeId": secrets.token_hex(8), "sequence": protocol.sequence(), "file": "robotsBlock"}
    return asked | {"value": None, "restore": None} | more


def run(site: WordPress, asked: dict[str, Any], *through: str, stops: bool = False, **environment: str) -> Any:
    """The outcome of a change in a process of its own, which the tests can limit and stop."""
    before = f"require {json.dumps(str(STOPS))};" if stops else ""
    return site.run(CHANGE, before=before, through=through, CHANGE=json.dumps(asked), **environment)


def connect(site: WordPress) -> HttpCms:
    return protocol.connect(Subject(site, "home", f"{site.url}/"))


def write(cms: HttpCms, value: str | None = BLOCK, restore: str | None = None) -> FileOutcome:
    return cms.change_file(
        FileChange(
            change_id=secrets.token_hex(8),
            sequence=protocol.sequence(),
            file="robotsBlock",
            value=value,
            restore=restore,
        )
    )


# -- nothing is lost ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 1, 2_000, len(OWN), len(OWN) + 40, len(WRITTEN) - 1])
def test_a_full_disk_leaves_the_file_unchanged(site: WordPress, robots: Path, room: int) -> None:
    # The kernel ends every write to a file behind this many bytes.
    limited = ("prlimit", f"--fsize={room}", "sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh")
    outcome = run(site, body(value=BLOCK), *limited)
    assert robots.read_bytes() == OWN
    assert outcome["state"] == "refused" and f"only {room} of {len(WRITTEN)} bytes" in outcome["reason"]
    assert str(site.root) not in outcome["reason"]
    assert left_over(site) == []


def test_a_process_killed_at_any_point_leaves_the_file_complete(site: WordPress, robots: Path) -> None:
    seen = []
    for point in itertools.count(1):
        put(robots, OWN)
        asked = body(value=BLOCK)
        try:
            run(site, asked, stops=True, STOP=str(point))
            break
        except Killed:
            seen.append(robots.read_bytes())
        assert seen[-1] in (OWN, WRITTEN), f"at point {point}"
        site.sql("update wp_wos_state set at = at - 61 where name like 'lock:%'")  # as if a minute had passed
        outcome = run(site, asked)
        assert (outcome["state"], outcome["before"], robots.read_bytes()) == ("written", None, WRITTEN)
        assert left_over(site) == [] and robots.stat().st_mode & 0o777 == 0o644
    assert len(seen) > 10 and OWN in seen and WRITTEN in seen
    assert run(site, body(restore=outcome["undo"]))["state"] == "written" and robots.read_bytes() == OWN


def test_a_reader_never_sees_a_partial_file(site: WordPress, robots: Path) -> None:
    cms, ended, seen = connect(site), threading.Event(), set()

    def read() -> None:
        while not ended.is_set():
            seen.add(robots.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(20):
            undo = write(cms).undo
            assert write(cms, None, undo).state == "written"
    finally:
        ended.set()
        reader.join()
    assert seen == {OWN, WRITTEN}


def test_eight_simultaneous_writers_leave_one_block(site: WordPress, robots: Path) -> None:
    cms = connect(site)
    blocks = [f"User-agent: Bot{number}\nDisallow: /\n" for number in range(8)]

    def send(block: str) -> str:
        try:
            return write(cms, block).state
        except OutsideError:
            return "busy"

    with ThreadPoolExecutor(8) as pool:
        states = list(pool.map(send, blocks))
    assert "written" in states and set(states) <= {"written", "superseded", "busy"}
    assert robots.read_bytes() in {with_block(OWN, block) for block in blocks}
    assert write(cms, None).state == "written" and robots.read_bytes() == OWN


def test_a_write_is_refused_when_another_process_changed_the_file(site: WordPress, robots: Path) -> None:
    outcome = run(site, body(value=BLOCK), stops=True, EDIT=str(robots))
    assert outcome["state"] == "refused" and "changed by somebody else" in outcome["reason"]
    assert robots.read_bytes() == b"User-agent: *\nDisallow: /of-somebody-else/\n" and left_over(site) == []


# -- rights ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "folder", "words"),
    [
        (0o222, 0o777, "cannot read it"),
        (0o000, 0o777, "cannot read it"),
        (0o444, 0o777, "may not write it"),
        (0o644, 0o755, "may not make files in the folder"),
    ],
    ids=["write-only", "closed", "read-only", "read-only folder"],
)
def test_writes_without_file_permission_are_refused_with_a_reason(
    site: WordPress, robots: Path, mode: int, folder: int, words: str
) -> None:
    cms = connect(site)
    undo = write(cms).undo
    robots.chmod(mode)
    site.root.chmod(folder)
    status = cms.status()
    assert (status.robots_file, status.files) == ("readonly", ["llmsTxt", "indexNowKey"])
    for outcome in (write(cms, "User-agent: CCBot\nDisallow: /\n"), write(cms, None), write(cms, None, undo)):
        assert outcome.state == "refused" and words in (outcome.reason or ""), outcome
    assert robots.read_bytes() == WRITTEN
    assert site.get("/robots.txt?fresh=1").status in (200, 404)
    robots.chmod(0o644)
    site.root.chmod(0o777)
    assert write(cms, None, undo).state == "written" and robots.read_bytes() == OWN


@pytest.mark.parametrize("mode", [0o644, 0o666, 0o600])
def test_mode_and_owner_of_the_file_are_kept(site: WordPress, robots: Path, mode: int) -> None:
    cms = connect(site)
    robots.chmod(mode)
    before = robots.stat()
    undo = write(cms).undo
    after = robots.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino and write(cms, None, undo).state == "written"
    assert robots.read_bytes() == OWN


@pytest.mark.skipif(USER is None, reason="only root can make a file of somebody else")
def test_a_file_that_belongs_to_another_user_keeps_its_read_permissions(site: WordPress, robots: Path) -> None:
    cms = connect(site)
    os.chown(robots, 0, owner()[1])
    robots.chmod(0o660)
    refused = write(cms)
    assert refused.state == "refused" and "another user" in (refused.reason or "")
    assert robots.read_bytes() == OWN and left_over(site) == []
    robots.chmod(0o664)
    undo = write(cms).undo
    assert robots.stat().st_mode & 0o777 == 0o664 and write(cms, None, undo).state == "written"


def test_a_symbolic_link_to_robots_txt_is_followed_and_kept(site: WordPress, robots: Path) -> None:
    cms, other = connect(site), robots.with_name("other.txt")
    robots.rename(other)
    robots.symlink_to("other.txt")
    undo = write(cms).undo
    assert robots.is_symlink() and not other.is_symlink() and other.read_bytes() == WRITTEN
    assert write(cms, None, undo).state == "written" and other.read_bytes() == OWN and left_over(site) == []


def test_a_robots_txt_above_the_size_limit_of_crawlers_is_refused(site: WordPress, robots: Path) -> None:
    cms = connect(site)
    large = b"# a line\n" * 56_800
    put(robots, large)
    outcome = write(cms)
    assert outcome.state == "refused" and "512000 bytes" in (outcome.reason or "")
    assert robots.read_bytes() == large


def test_temporary_files_of_a_killed_process_are_removed_later(site: WordPress, robots: Path) -> None:
    cms = connect(site)
    old, new, foreign = (robots.with_name(f".robots.txt.wos-{end}") for end in ("a" * 32, "b" * 32, "notes"))
    for path in (old, new, foreign):
        put(path, b"half")
    os.utime(old, (0, 0))
    cms.status()
    assert not old.exists() and new.exists(), "the new one may be another process's"
    undo = write(cms).undo
    assert not new.exists() and foreign.exists()
    foreign.unlink()
    assert write(cms, None, undo).state == "written"


# -- whose file it is --------------------------------------------------------------------------------------


def test_a_robots_txt_above_the_wordpress_folder_is_found(site: WordPress, robots: Path) -> None:
    """WordPress is installed in a subfolder and answers at the root of the host."""
    asked = "add_filter('site_url', static function () { return home_url('/site'); });"
    asked += "echo json_encode(Wos\\Files::robots_file());"
    assert site.root.name == "site" and site.run(asked) == "virtual", "its own folder's file is at /site/robots.txt"
    above = site.root.parent / "robots.txt"
    put(above, OWN)
    try:
        assert site.run(asked) == "file"
    finally:
        above.unlink()


# -- who is nobody, and a database that takes nothing ----------------------------------------------------------


@pytest.fixture
def rows(site: WordPress) -> Iterator[Any]:
    """The names of the rows that were added to the plugin's table since the last call."""
    site.sql(
        "create table seen (name varchar(190));"
        "create trigger look after insert on wp_wos_state for each row insert into seen values (new.name)"
    )

    def added() -> list[str]:
        names = [name for (name,) in site.sql("select name from seen")]
        site.sql("delete from seen")
        return names

    yield added
    site.sql("drop trigger look; drop table seen")


def test_a_wrong_key_or_pairing_code_changes_nothing(site: WordPress, rows: Any) -> None:
    subject = Subject(site, "home", f"{site.url}/")
    cms, code = connect(site), subject.code()
    rows()
    kept = subject.stored()
    stranger = HttpCms(cms.address, "wos_cn_" + "0" * 64)

    def refused() -> None:
        for given in ("", "A" * 100_000, "0" * 15, "ABCD-EFGH-JKLM"):
            with pytest.raises(OutsideError):
                stranger.pair(given, "site_1", protocol.BASE_URL, "wos_site_key")
        with pytest.raises(OutsideError):
            stranger.status()

    refused()
    assert rows() == [] and subject.stored() == kept
    late = "$row = get_option('wos_code'); $row['until'] = time() - 1; update_option('wos_code', $row, false);"
    site.run(late)
    kept = subject.stored()
    with pytest.raises(OutsideError):
        stranger.pair(code, "site_1", protocol.BASE_URL, "wos_site_key")
    assert rows() == [] and subject.stored() == kept


@pytest.mark.parametrize("row", ["nonce", "change", "field"])
def test_a_change_refused_by_a_full_database_succeeds_later(site: WordPress, robots: Path, row: str) -> None:
    """A nonce that cannot be stored is not a repetition, and a change that cannot be recorded does not start."""
    cms = connect(site)
    full = "signal sqlstate '45000' set message_text = 'The table is full'"
    rule = f"if new.name like '{row}:%' then {full}; end if;"
    site.sql(f"delimiter //\ncreate trigger full before insert on wp_wos_state for each row begin {rule} end//\n")
    try:
        with pytest.raises(Unavailable, match="503"):
            write(cms)
        assert robots.read_bytes() == OWN
    finally:
        site.sql("drop trigger full")
        site.log.write_bytes(b"")  # WordPress logs each error of its database
    undo = write(cms).undo
    assert write(cms, None, undo).state == "written" and robots.read_bytes() == OWN


@pytest.mark.parametrize("option", ["wos_connection", "wos_code"])
def test_a_pairing_that_the_database_does_not_store_fails_and_succeeds_later(site: WordPress, option: str) -> None:
    subject, cms = Subject(site, "home", f"{site.url}/"), HttpCms(connect(site).address, "wos_cn_" + "7" * 64)
    code = subject.code()
    full = "signal sqlstate '45000' set message_text = 'The table is full'"
    for event in ("insert", "update"):
        rule = f"if new.option_name = '{option}' then {full}; end if;"
        site.sql(
            f"delimiter //\ncreate trigger full_{event} before {event} on wp_options for each row begin {rule} end//\n"
        )
    try:
        with pytest.raises(Unavailable, match="503"):
            cms.pair(code, "site_9", protocol.BASE_URL, "wos_site_key")
    finally:
        site.sql("drop trigger full_insert; drop trigger full_update")
        site.log.write_bytes(b"")  # WordPress logs each error of its database
    cms.pair(code, "site_9", protocol.BASE_URL, "wos_site_key")
    assert cms.status().writable


def test_removing_the_plugin_leaves_an_unreadable_file_unchanged(robots: Path, site: WordPress) -> None:
    cms = connect(site)
    assert write(cms).state == "written"
    leftover = robots.with_name(f".robots.txt.wos-{'c' * 32}")
    leftover.write_bytes(b"half")
    robots.chmod(0o222)
    # As the server's user: root, who removes plugins in these tests, may read everything.
    site.run("Wos\\Writer::restore_all();", through=("setpriv", f"--reuid={USER}", "--clear-groups") if USER else ())
    assert robots.read_bytes() == WRITTEN
    site.uninstall(PLUGIN.name)
    assert not leftover.exists() and site.sql("show tables like '%wos%'") == []
    site.activate(PLUGIN)


def test_a_long_text_that_the_plugin_no_longer_stores_is_restored_by_the_service(site: WordPress) -> None:
    subject, long = Subject(site, "home", f"{site.url}/"), "# Shop\n" * 8_571
    for value in (long, "# Second\n"):
        outcome = run(site, body(file="llmsTxt", value=value))
    site.sql("update wp_wos_state set at = at - 1 where name like 'before:%'")  # another second than what follows
    site.run(
        "for ($i = 0; $i < 12; $i++) { Wos\\State::put('before:file|llmsTxt|' . $i, '[]'); }"
        "Wos\\State::keep_newest('before:file|llmsTxt|', Wos\\Writer::KEPT_BEFORE);"
    )
    for sent in (None, "# Forged\n"):
        refused = run(site, body(file="llmsTxt", value=sent, restore=outcome["undo"]))
        assert refused["state"] == "refused" and "no longer kept" in refused["reason"]
        assert subject.file("llms.txt") == "# Second\n"
    back = run(site, body(file="llmsTxt", value=long, restore=outcome["undo"]))
    assert back["state"] == "written" and subject.file("llms.txt") == long
    assert run(site, body(file="llmsTxt"))["state"] == "written" and subject.file("llms.txt") is None
