"""The WordPress plugin uses nothing that came after WordPress 6.0, by the sources of Debian's WordPress."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.real import parts
from tests.real.wordpress import TREE
from tests.real.wordpress_subject import PLUGIN

pytestmark = pytest.mark.real

OLDEST = (6, 0)
# Of other plugins: called only where they are there.
OTHERS = {
    "functions": {
        *("is_shop", "wc_get_page_id", "rocket_clean_files", "sg_cachepress_purge_cache", "w3tc_flush_post"),
        *("w3tc_flush_url", "wpfc_clear_all_cache", "wpfc_clear_post_cache_by_id", "wpsc_delete_post_cache"),
        *("wpsc_delete_url_cache", "the_seo_framework"),
    },
    "classes": set[str](),
    "hooks": set[str](),
}


def newer(plugin: Path) -> dict[str, set[str]]:
    """What a plugin uses that WordPress 6.0 has not."""
    parts.debian("wordpress", "php-cli")
    command = ["php", str(Path(__file__).with_name("since.php")), str(TREE), str(plugin)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, str | None]] = json.loads(done.stdout)
    assert all(found[kind] for kind in ("functions", "hooks")), found
    return {
        kind: {name for name, since in names.items() if since is None or _version(since) > OLDEST}
        for kind, names in found.items()
    }


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_the_plugin_uses_only_functions_of_wordpress_6_0() -> None:
    found = newer(PLUGIN)
    assert {kind: names - OTHERS[kind] for kind, names in found.items()} == {kind: set() for kind in found}


def test_the_check_finds_functions_added_after_wordpress_6_0(tmp_path: Path) -> None:
    (tmp_path / "plugin.php").write_text(
        "<?php class A { function wp_slash() {} } new \\WP_HTML_Tag_Processor(''); new \\WP_Error(); get_option('x');"
        "wp_cache_supports('a'); wp_is_development_mode('all'); $a->wp_no_method(); strlen('');"
        "add_filter('wp_theme_json_data_default', 'f'); add_action('init', 'f'); add_action('init_of_later', 'f');"
    )
    assert newer(tmp_path) == {
        "functions": {"wp_cache_supports", "wp_is_development_mode"},
        "classes": {"WP_HTML_Tag_Processor"},
        "hooks": {"wp_theme_json_data_default", "init_of_later"},
    }
