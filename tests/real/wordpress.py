"""A real WordPress of Debian's packages on loopback, with a database of its own; several may run side by side.

``started()`` gives one and takes everything away again: its servers, also when the tests are killed, and its folder.
Nothing in it asks another machine. Jobs of WordPress's own clock run only when a test calls ``WordPress.run_cron``.
"""

import base64
import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench.soak_processes import free_port
from tests.real import parts

PACKAGES = (
    *("wordpress", "wordpress-theme-twentytwentyone", "wordpress-theme-twentytwentythree"),
    *("mariadb-server-core", "mariadb-client-core"),  # the programs without the service that starts by itself
    *("php-cli", "php-mysql", "php-xml", "php-curl", "php-mbstring"),
)
TREE = Path("/usr/share/wordpress")
THEMES = Path("/var/lib/wordpress/wp-content/themes")
DEFAULT_THEME = "twentytwentyone"
USER = "admin"
START_SECONDS = 60.0
ANSWER_SECONDS = 60.0
WORKERS = 4  # of PHP's server: WordPress asks itself, so one is not enough
SEEDERS = 3  # requests at once while content is made; each takes one of the workers

# Runs a command in its process group until this process closes the pipe, or ends for whatever reason.
_GUARD = '"$@" & cat >/dev/null; kill -KILL 0'

_CONFIG = """<?php
define('DB_NAME', 'wp'); define('DB_USER', 'root'); define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:%(socket)s');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('AUTH_KEY', 'a'); define('SECURE_AUTH_KEY', 'b'); define('LOGGED_IN_KEY', 'c'); define('NONCE_KEY', 'd');
define('AUTH_SALT', 'e'); define('SECURE_AUTH_SALT', 'f'); define('LOGGED_IN_SALT', 'g'); define('NONCE_SALT', 'h');
define('WP_HOME', '%(url)s'); define('WP_SITEURL', '%(url)s');
define('WP_ENVIRONMENT_TYPE', 'local'); // application passwords are taken over http
define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_ACCESSIBLE_HOSTS', '127.0.0.1,localhost');
define('DISABLE_WP_CRON', true); define('AUTOMATIC_UPDATER_DISABLED', true); define('FS_METHOD', 'direct');
define('WP_DEBUG', true); define('WP_DEBUG_DISPLAY', false); define('WP_DEBUG_LOG', '%(log)s');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }
%(more)s
require_once ABSPATH . 'wp-settings.php';
"""

_ROUTER = """<?php // files as they are, everything else to WordPress
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$file = $_SERVER['DOCUMENT_ROOT'] . $path;
if ($path !== '/' && is_file($file)) { return false; }
$index = rtrim($path, '/') . '/index.php';
if ($path === '/' || !is_file($_SERVER['DOCUMENT_ROOT'] . $index)) { $index = '/index.php'; }
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $index;
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . $index;
chdir(dirname($_SERVER['SCRIPT_FILENAME']));
require $_SERVER['SCRIPT_FILENAME'];
"""

_LOAD = """<?php
error_reporting(E_ALL & ~E_DEPRECATED);
$_SERVER['HTTP_HOST'] = %(host)s; $_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1'; $_SERVER['REQUEST_METHOD'] = 'GET';
$_SERVER['REQUEST_URI'] = '/';
%(before)s
require %(root)s . '/wp-load.php';
%(code)s
"""

_INSTALL = """
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_wp_mail', '__return_true');
$done = wp_install('Test Shop', 'admin', 'admin@example.test', true, '', 'admin-password');
update_option('permalink_structure', '/%postname%/');
switch_theme(getenv('THEME'));
list($password) = WP_Application_Passwords::create_new_application_password($done['user_id'], ['name' => 'tests']);
echo json_encode($password);
"""


class Killed(Exception):
    """PHP was killed before it had finished."""


class Answer(NamedTuple):
    """An HTTP answer: header names in lower case, nothing followed."""

    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class WordPress:
    """One WordPress that answers. ``url`` has no slash at its end; ``root`` is its tree, ``password`` an application
    password of the administrator ``admin``."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self.root = folder / "site"
        self.log = folder / "debug.log"
        self.logs = (self.log, folder / "php.log", folder / "db.log")  # of WordPress, PHP's server, the database
        self.password = ""
        self._folder = folder

    # -- over HTTP -----------------------------------------------------------------------------------------

    def get(self, path: str = "/", headers: dict[str, str] | None = None) -> Answer:
        """What a visitor gets."""
        return self.ask("GET", path, headers=headers)

    def rest(self, method: str, path: str, body: Any = None, *, plain: bool = False) -> Any:
        """An answer of the REST API to the administrator; ``path`` begins behind ``/wp-json``.

        ``plain``: by the address that it has without pretty permalinks."""
        token = base64.b64encode(f"{USER}:{self.password}".encode()).decode()
        headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        address = f"/?rest_route={path.replace('?', '&')}" if plain else f"/wp-json{path}"
        answer = self.ask(method, address, None if body is None else json.dumps(body).encode(), headers)
        assert answer.status < 300, f"{method} {path}: {answer.status} {answer.text[:500]}"
        return answer.json()

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        """The answer to one request, whatever its status."""
        request = urllib.request.Request(self.url + path, body, headers or {}, method=method)
        try:
            with _opener().open(request, timeout=ANSWER_SECONDS) as found:
                return _answer(found)
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error)

    # -- inside --------------------------------------------------------------------------------------------

    def run(self, code: str, *, before: str = "", through: Sequence[str] = (), **environment: str) -> Any:
        """Run PHP inside WordPress, in a process of its own. Returns what it prints, read as JSON (None: nothing).

        ``before``: PHP that runs before WordPress is loaded; ``through``: the start of the command that runs PHP.
        Raises ``Killed`` if a signal ended PHP."""
        host = json.dumps(self.url.partition("://")[2])
        script = _LOAD % {"host": host, "root": json.dumps(str(self.root)), "before": before, "code": code}
        done = subprocess.run(
            [*through, "php", "-d", "display_errors=stderr"],
            input=script,
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            timeout=ANSWER_SECONDS,
            check=False,
        )
        if done.returncode == -signal.SIGKILL:
            raise Killed
        assert done.returncode == 0, done.stderr or done.stdout
        return json.loads(done.stdout) if done.stdout.strip() else None

    def run_cron(self) -> None:
        """Runs the jobs of WordPress's own clock that are due."""
        answer = self.get("/wp-cron.php")
        assert answer.status == 200, answer

    def sql(self, statement: str) -> list[list[str]]:
        """The rows that the database answers, as texts."""
        printed = _client(self._folder, statement, "wp")
        return [line.split("\t") for line in printed.splitlines()]

    def activate(self, plugin: Path) -> None:
        """Installs a plugin, a folder or one PHP file, and activates it."""
        there = self.root / "wp-content" / "plugins" / plugin.name
        if plugin.is_dir():
            shutil.copytree(plugin, there, dirs_exist_ok=True)
        else:
            shutil.copy(plugin, there)
        self._switch("activate_plugin", plugin.name)

    def deactivate(self, name: str) -> None:
        """Deactivates an installed plugin: the name of its folder, or of its one file."""
        self._switch("deactivate_plugins", name)

    def uninstall(self, name: str) -> None:
        """Deactivates a plugin and removes it as an administrator does; its own uninstalling runs."""
        self._switch("deactivate_plugins", name)
        self._switch("delete_plugins", name)

    def _switch(self, function: str, name: str) -> None:
        self.run(
            "require ABSPATH . 'wp-admin/includes/plugin.php'; require ABSPATH . 'wp-admin/includes/file.php';"
            "wp_set_current_user(1); wp_clean_plugins_cache(); $found = [];"
            "foreach (array_keys(get_plugins()) as $file) {"
            "  if ($file === getenv('PLUGIN') || dirname($file) === getenv('PLUGIN')) { $found[] = $file; } }"
            "if (!$found) { fwrite(STDERR, 'no such plugin'); exit(1); }"
            "$one = getenv('CALL') === 'activate_plugin' ? $found[0] : $found; $done = (getenv('CALL'))($one);"
            "if (is_wp_error($done)) { fwrite(STDERR, $done->get_error_message()); exit(1); }",
            PLUGIN=name,
            CALL=function,
        )

    def use_theme(self, name: str) -> None:
        """Switches to one of the installed themes."""
        self.run("switch_theme(getenv('THEME'));", THEME=name)

    def complaints(self) -> list[str]:
        """Errors, warnings and notices that PHP logged. Left out is what WordPress 6.1 itself does that PHP 8 calls out
        of date, and that it cannot reach the address where it looks for updates."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if "PHP Deprecated" not in line and "WordPress.org" not in line]

    def seed(self, count: int) -> list[dict[str, Any]]:
        """Makes ``count`` published items, every third a page and the others posts, that link in a ring.

        Each is a second younger than the one before, since lists of posts of one second have no order. Returns the
        items as the REST API tells them, in order."""
        oldest = datetime.now(UTC) - timedelta(seconds=count)

        def make(number: int) -> dict[str, Any]:
            linked = (number + 1) % count
            text = f"<h2>About widget {number}</h2><p>" + f"Widget {number} holds two boards together. " * 30
            body = {
                "title": f"Widget guide {number}",
                "slug": f"widget-guide-{number}",
                "status": "publish",
                "date_gmt": f"{oldest + timedelta(seconds=number):%Y-%m-%dT%H:%M:%S}",
                "content": f'{text}</p><p><a href="/widget-guide-{linked}/">Widget guide {linked}</a></p>',
                "excerpt": f"All about widget {number}.",
            }
            made: dict[str, Any] = self.rest("POST", "/wp/v2/posts" if number % 3 else "/wp/v2/pages", body)
            return made

        with ThreadPoolExecutor(SEEDERS) as pool:
            return list(pool.map(make, range(count)))


@contextmanager
def started(*, theme: str = DEFAULT_THEME, config: str = "", user: str | None = None) -> Iterator[WordPress]:
    """A fresh WordPress with pretty permalinks, until the block ends. ``theme``: twentytwentyone or twentytwentythree;
    ``config``: PHP for the end of wp-config.php; ``user``: who runs PHP's server (None: who runs the tests)."""
    parts.debian(*PACKAGES)
    with tempfile.TemporaryDirectory(prefix="wordpress-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # for the server's user
        servers: list[subprocess.Popen[bytes]] = []
        try:
            yield _start(folder, servers, theme, config, user)
        finally:
            for server in reversed(servers):
                _stop(server)


def _start(
    folder: Path, servers: "list[subprocess.Popen[bytes]]", theme: str, config: str, user: str | None
) -> WordPress:
    servers.append(_database(folder))
    port = free_port()
    site = WordPress(folder, f"http://127.0.0.1:{port}")
    _copy(site.root)
    words = {"socket": str(folder / "s"), "url": site.url, "log": str(site.log), "more": config}
    (site.root / "wp-config.php").write_text(_CONFIG % words, encoding="utf-8")
    (folder / "router.php").write_text(_ROUTER, encoding="utf-8")
    _wait("the database", servers[0], lambda: _client(folder, "create database wp character set utf8mb4"))
    site.password = site.run(_INSTALL, before="define('WP_INSTALLING', true);", THEME=theme)
    # In a second process, because rules of categories and tags are made only where the permalinks are already set.
    site.run("flush_rewrite_rules(false);")
    # Files change while tests run, so compiled ones are not kept without a look.
    php = ["php", "-d", "memory_limit=256M", "-d", "opcache.enable_cli=1", "-d", "opcache.revalidate_freq=0"]
    command = [*php, "-S", f"127.0.0.1:{port}", "-t", str(site.root), str(folder / "router.php")]
    servers.append(_serve(folder / "php.log", command, user, PHP_CLI_SERVER_WORKERS=str(WORKERS)))
    _wait("WordPress", servers[1], lambda: site.get("/wp-json/").json())
    site.get("/")  # the first visit makes WordPress and its theme store what they had not yet
    site.log.write_bytes(b"")
    site.log.chmod(0o666)
    return site


def _copy(root: Path) -> None:
    """A private copy: in Debian's own tree many files are links, and its settings are looked up by host name."""
    shutil.copytree(TREE, root, ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns("wp-config.php", "themes"))
    shutil.copytree(THEMES, root / "wp-content" / "themes")
    for name in ("mu-plugins", "uploads", "languages", "plugins"):
        (root / "wp-content" / name).mkdir(exist_ok=True)


def _database(folder: Path) -> "subprocess.Popen[bytes]":
    data = folder / "db"
    user = [f"--user={'root' if os.geteuid() == 0 else os.environ.get('USER', 'nobody')}"]
    # At its start a server deletes the temporary tables of others in its folder for them.
    own = {"TMPDIR": str(folder / "temporary")}
    (folder / "temporary").mkdir(exist_ok=True)
    install = ["mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal"]
    made = subprocess.run(
        [*install, *user, f"--datadir={data}", "--skip-test-db"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **own},
    )
    assert made.returncode == 0, made.stdout + made.stderr
    command = ["mariadbd", "--no-defaults", *user, f"--datadir={data}", f"--socket={folder / 's'}"]
    command += ["--skip-networking", f"--pid-file={folder / 'db.pid'}", "--innodb-buffer-pool-size=64M"]
    command += ["--innodb-flush-log-at-trx-commit=0", "--skip-log-bin"]  # nothing here outlives the tests
    return _serve(folder / "db.log", command, **own)


def _serve(log: Path, command: list[str], user: str | None = None, **environment: str) -> "subprocess.Popen[bytes]":
    """A server in a process group of its own: PHP's workers would outlive a kill of their parent alone."""
    with log.open("wb") as output:
        return subprocess.Popen(
            ["sh", "-c", _GUARD, "guard", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env={**os.environ, **environment},
            start_new_session=True,
            user=user,
            group=None if user is None else pwd.getpwnam(user).pw_gid,
            extra_groups=None if user is None else (),
        )


def _stop(server: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    assert server.stdin is not None
    server.stdin.close()


def _wait(what: str, server: "subprocess.Popen[bytes]", ready: Any) -> None:
    until = time.monotonic() + START_SECONDS
    said: Exception | None = None
    while server.poll() is None and time.monotonic() < until:
        try:
            ready()
            return
        except (OSError, AssertionError, ValueError) as error:
            said = error
        time.sleep(0.1)
    raise AssertionError(f"{what} does not start: {said}")


def _client(folder: Path, statement: str, database: str = "") -> str:
    command = ["mariadb", "--no-defaults", "--batch", "--skip-column-names", f"--socket={folder / 's'}", "--user=root"]
    done = subprocess.run(
        [*command, *([database] if database else [])], input=statement, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class _Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_Unfollowed, urllib.request.ProxyHandler({}))


def _answer(found: Any) -> Answer:
    headers = {name.lower(): value for name, value in found.headers.items()}
    return Answer(found.status, headers, found.read().decode("utf-8", "replace"))
