"""What there is to say of a live robots.txt."""

import pytest

from chalicelib.domain.crawl import robots
from chalicelib.domain.readiness.access import accesses
from chalicelib.domain.readiness.robots_notes import managed_block, note_of
from tests.adversaries.cost import MOST_GROWTH, growth

BLOCK = "# BEGIN Cloudflare Managed content\n\nUser-agent: GPTBot\nDisallow: /\n\n# END Cloudflare Managed Content\n"


def note(text: str, **more: object) -> str | None:
    parsed = robots.parse(text)
    given = {"is_page": False, "robots_file": None, **more}
    return note_of(text, parsed, accesses(parsed, "https://example.com/"), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (BLOCK, (1, 6)),
        (BLOCK.replace("\n", "\r\n"), (1, 6)),
        (BLOCK.replace("\n", "\r"), (1, 6)),
        ("User-agent: *\n\n" + BLOCK + "Disallow: /a\n", (3, 8)),
        (BLOCK.replace("# BEGIN", "##  begin "), (1, 6)),
        (BLOCK.replace("# END", "# "), (1, 7)),
        ("# END Cloudflare Managed Content\n" + BLOCK, (2, 7)),
    ],
)
def test_the_managed_block_of_cloudflare_is_found_with_its_lines(text: str, lines: tuple[int, int]) -> None:
    found = managed_block(text)
    assert found is not None and (found.owner, found.first, found.last) == ("Cloudflare", *lines)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "BEGIN Cloudflare Managed content\n",
        "# Content managed by Cloudflare begins here\n",
        "# BEGIN Website Optimization\nUser-agent: GPTBot\nDisallow: /\n# END Website Optimization\n",
        "Disallow: / # BEGIN Cloudflare Managed content\n",
    ],
)
def test_other_comments_are_not_a_managed_block(text: str) -> None:
    assert managed_block(text) is None and note(text) is None


def test_the_note_names_the_crawlers_of_the_managed_block() -> None:
    assert note(BLOCK) == (
        "Lines 1 to 6 of robots.txt are put there by Cloudflare (managed robots.txt), not by the website; only "
        "Cloudflare's settings change them. They decide for GPTBot."
    )
    everybody = note(BLOCK.replace("GPTBot", "*"))
    assert everybody is not None
    assert everybody.endswith("They decide for GPTBot, OAI-SearchBot, ChatGPT-User, OAI-AdsBot, ClaudeBot and 29 more.")
    unused = note(BLOCK.replace("Disallow: /", "Disallow: /a/"))
    assert unused is not None and "They decide" not in unused


def test_the_note_says_that_the_cms_cannot_write_the_file() -> None:
    assert note("", robots_file="readonly") == "robots.txt is a file on the web server that the CMS may not write."
    assert "does not answer for robots.txt" in (note("", robots_file="elsewhere") or "")
    assert note("", robots_file="virtual") is note("", robots_file="file") is None


def test_several_notes_are_joined_in_a_fixed_order() -> None:
    said = note(BLOCK + "User-agent: Claude-Web\nDisallow:\n", robots_file="readonly", is_page=True)
    assert said is not None
    assert [said.index(words) for words in ("web page", "Cloudflare", "may not write", "Claude-Web")] == sorted(
        said.index(words) for words in ("web page", "Cloudflare", "may not write", "Claude-Web")
    )


def test_searching_for_the_managed_block_takes_linear_time() -> None:
    for line in (b"# BEGIN Cloudflare Managed content\n", b"# \t \n", b"\r", b"# BEGIN Cloudflare" + b" " * 500):
        factor, _ = growth(
            lambda data: managed_block(data.decode()), [line * (100_000 // len(line) << n) for n in (0, 1, 2)]
        )
        assert factor <= MOST_GROWTH, line
