"""The WordPress that other tests use: that it is a real one, alone, and gone afterwards."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.real import parts
from tests.real.wordpress import PACKAGES, WordPress, started

pytestmark = pytest.mark.real


def test_the_test_wordpress_serves_its_seeded_pages(wordpress: WordPress) -> None:
    assert "<title>Widget guide 4 &#8211; Test Shop</title>" in wordpress.get("/widget-guide-4/").text
    assert "Widget guide 4" in wordpress.get("/category/uncategorized/").text
    assert wordpress.get("/no-such-page/").status == 404
    posts = wordpress.rest("GET", "/wp/v2/posts?per_page=100")
    pages = wordpress.rest("GET", "/wp/v2/pages?per_page=100")
    assert sorted(item["slug"] for item in [*posts, *pages] if item["slug"].startswith("widget")) == sorted(
        f"widget-guide-{number}" for number in range(12)
    )


def test_several_wordpress_sites_run_side_by_side_with_different_themes(wordpress: WordPress) -> None:
    with started(theme="twentytwentythree") as other:
        assert "twentytwentythree" in other.get("/").text and "twentytwentyone" in wordpress.get("/").text
        other.rest("POST", "/wp/v2/posts", {"title": "Only there", "slug": "only-there", "status": "publish"})
        assert other.get("/only-there/").status == 200 and wordpress.get("/only-there/").status == 404
        folder = other.root.parent
    assert not folder.exists()


def test_the_wordpress_servers_end_when_the_tests_are_killed() -> None:
    parts.debian(*PACKAGES)
    code = "import os, signal; from tests.real.wordpress import started\n"
    code += "with started() as site:\n    print(site.root.parent, flush=True)\n    os.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    folder = done.stdout.strip()
    assert done.returncode == -9 and folder, done.stderr
    for _ in range(50):
        left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if folder in _read(path)]
        if not left:
            break
        subprocess.run(["sleep", "0.1"], check=True)
    subprocess.run(["rm", "-rf", folder], check=True)
    assert not left


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
