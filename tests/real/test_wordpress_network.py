"""The plugin in a network of websites with one folder: whose files each website may write, and what removal leaves."""

import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import File, FileChange, FileOutcome
from chalicelib.randomness import random_bytes
from chalicelib.settings.reading import forget_settings
from tests.connectors import protocol
from tests.real.wordpress import WordPress, started
from tests.real.wordpress_keyed import send
from tests.real.wordpress_subject import PLUGIN

pytestmark = pytest.mark.real

OWN = b"User-agent: *\nDisallow: /private/\n"
BLOCK = "User-agent: GPTBot\nDisallow: /\n"
_TABLES = """
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_http_request', static function () { return new WP_Error('x', 'No request.'); });
foreach ($wpdb->tables('ms_global') as $table => $name) { $wpdb->$table = $name; }
install_network();
populate_network(1, getenv('DOMAIN'), 'admin@example.test', 'Network', '/', true);
"""
_CONSTANTS = """
define('MULTISITE', true); define('SUBDOMAIN_INSTALL', true);
define('DOMAIN_CURRENT_SITE', '%s'); define('PATH_CURRENT_SITE', '/');
define('SITE_ID_CURRENT_SITE', 1); define('BLOG_ID_CURRENT_SITE', 1);
"""
_SECOND = """
wp_set_current_user(1); $_SERVER['REMOTE_ADDR'] = '127.0.0.1';
$number = wp_insert_site(['domain' => 'second', 'path' => '/', 'user_id' => 1, 'title' => 'Second']);
$wpdb->update($wpdb->blogs, ['domain' => getenv('SECOND')], ['blog_id' => $number]); // with its port
clean_blog_cache($number);
switch_to_blog($number);
update_option('home', 'http://' . getenv('SECOND'));
update_option('siteurl', 'http://' . getenv('SECOND'));
update_option('permalink_structure', '/%postname%/');
restore_current_blog();
require_once ABSPATH . 'wp-admin/includes/plugin.php';
activate_plugin('wos-connector/wos-connector.php', '', true);
"""


class Network:
    """A network of two websites, each with a host of its own."""

    def __init__(self, site: WordPress) -> None:
        self.site = site
        self.main = site.url
        self.second = site.url.replace("127.0.0.1", "localhost")
        self.robots = site.root / "robots.txt"

    def run(self, url: str, code: str, **environment: str) -> Any:
        host = url.partition("://")[2]
        return self.site.run(code, before=f"$_SERVER['HTTP_HOST'] = '{host}';", **environment)

    def connect(self, url: str) -> HttpCms:
        cms = HttpCms(f"{url}/wp-json/wos/v1", signature.make_secret(random_bytes(32)))
        code = self.run(url, "echo json_encode(Wos\\Connection::new_code());")
        cms.pair(code, "site_1", protocol.BASE_URL, "wos_site_key")
        return cms

    def shown(self, url: str, name: str) -> str:
        other = WordPress(self.site.root.parent, url)
        return other.get(f"/{name}?fresh=1").text


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with started() as site:
        found = Network(site)
        domain = site.url.partition("://")[2]
        site.run(_TABLES, before="define('WP_INSTALLING_NETWORK', true);", DOMAIN=domain)
        config = site.root / "wp-config.php"
        lines = [line for line in config.read_text().splitlines(keepends=True) if "WP_HOME" not in line]
        lines.insert(-1, _CONSTANTS % domain)
        config.write_text("".join(lines))
        site.activate(PLUGIN)
        site.run(_SECOND, SECOND=found.second.partition("://")[2])
        yield found
        site.uninstall(PLUGIN.name)
        assert site.sql("show tables like '%wos%'") == []
        for options in ("wp_options", "wp_2_options"):
            assert site.sql(f"select option_name from {options} where option_name like 'wos%'") == []
        for meta in ("wp_postmeta", "wp_2_postmeta", "wp_termmeta", "wp_2_termmeta"):
            assert site.sql(f"select meta_key from {meta} where meta_key like '\\_wos%'") == []
        assert site.complaints() == []


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def write(cms: HttpCms, file: File, value: str | None, restore: str | None = None) -> FileOutcome:
    asked = {"change_id": secrets.token_hex(8), "sequence": protocol.sequence(), "file": file}
    return cms.change_file(FileChange(**asked, value=value, restore=restore))  # type: ignore[arg-type]


def test_each_website_of_a_network_has_its_own_files(network: Network) -> None:
    main, second = network.connect(network.main), network.connect(network.second)
    assert main.status().robots_file == second.status().robots_file == "virtual"
    assert write(second, "llmsTxt", "# Second\n").state == "written"
    assert write(second, "robotsBlock", BLOCK).state == "written"
    assert network.shown(network.second, "llms.txt") == "# Second\n"
    assert BLOCK in network.shown(network.second, "robots.txt")
    assert "# Second" not in network.shown(network.main, "llms.txt")
    assert BLOCK not in network.shown(network.main, "robots.txt")


def test_a_file_in_the_shared_folder_belongs_to_the_main_website(network: Network) -> None:
    main, second = network.connect(network.main), network.connect(network.second)
    network.robots.write_bytes(OWN)
    try:
        status = second.status()
        assert (status.robots_file, status.files) == ("readonly", ["llmsTxt", "indexNowKey"])
        for value in (BLOCK, None):
            refused = write(second, "robotsBlock", value)
            assert refused.state == "refused" and "only the main site" in (refused.reason or "")
        assert network.robots.read_bytes() == OWN
        assert main.status().robots_file == "file"
        written = write(main, "robotsBlock", BLOCK)
        assert written.state == "written" and BLOCK.encode() in network.robots.read_bytes()
        assert write(second, "robotsBlock", None).state == "refused", "nor may it remove the main site's lines"
        assert write(main, "robotsBlock", None, written.undo).state == "written"
        assert network.robots.read_bytes() == OWN
    finally:
        network.robots.unlink()


def test_each_website_of_a_network_has_its_own_redirects_and_alt_texts(network: Network) -> None:
    """After all tests, another check finds what the removed plugin left behind."""
    second = network.connect(network.second)
    target = f"{network.second}/"
    outcome = send(second, "redirect", "/gone", target, cms_id=None, url=f"{network.second}/gone")
    assert outcome.state == "written"
    for url, expected in ((network.main, 404), (network.second, 301)):
        assert WordPress(network.site.root.parent, url).get("/gone").status == expected
    foreign = send(second, "redirect", "/away", f"{network.main}/", cms_id=None, url=f"{network.second}/away")
    assert foreign.state == "refused"
    post = network.run(
        network.second,
        "echo json_encode(wp_insert_post(['post_status' => 'publish', 'post_title' => 'Tents', 'post_name' => 'tents',"
        " 'post_content' => '<img src=\"/a.png\" alt=\"\">']));",
    )
    at = {"cms_id": f"post:{post}", "url": f"{network.second}/tents/"}
    assert send(second, "alt", f"{network.second}/a.png 1", "A tent", **at).state == "written"
    assert 'alt="A tent"' in WordPress(network.site.root.parent, network.second).get("/tents/").text
