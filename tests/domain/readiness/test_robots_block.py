"""The block in robots.txt: what is asked for holds, nothing changes for anybody else, and it can be taken away."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.changes.batch import MOST_BEFORE
from chalicelib.domain.connector.messages import MOST_FILE
from chalicelib.domain.crawl.robots import MAX_BYTES, Robots, parse
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.readiness.access import verdict_for
from chalicelib.domain.readiness.robots_block import (
    BEGIN,
    END,
    TooLong,
    block_of,
    with_block,
    without_block,
    written_block,
)
from chalicelib.domain.readiness.written import CrawlerRule, rules_of, rules_text

BOTS = [crawler.bot for crawler in crawler_list().crawlers]
OTHERS = ["*", "SomeBot", "Googlebot-Image", "anthropic-ai", "GPTBot2", "Applebot", *BOTS]
PATHS = [
    *("/", "/a", "/a/", "/ab", "/a/b", "/b", "/private/x", "/shop?x=1", "/shop?x=1&y=%C3%A9", "/%C3%A9", "/é"),
    *("/a.pdf", "/a.pdf?x", "/b/a.pdf", "/robots.txt", "/a*b", "/a$", "/aa%2Fb", "/x%23y", "//", "/a//b"),
]

CLOSING = ("/", "*", "/*", "/*$", "*$", "*/", "*/*", "/**", "/**$", "/***")

names = st.sampled_from(["*", "*", "* ", "GPTBot", "gptbot/1.2", "CCBot", "Googlebot", "Applebot", "SomeBot", ""])
patterns = st.one_of(
    st.sampled_from(
        ["", "/", "*", "/*", "/*$", "*$", "*/", "*/*", "/$", "/a", "/a*", "/a$", "/a*$", "*a", "*.pdf$", "a", "/***"]
    ),
    st.sampled_from(
        ["/private/", "/shop?", "/*?x=1", "/%c3%a9", "/é", "/a # note", "/x%23y", "/a b", "/**a", "//", "/*/"]
    ),
    st.text("/*$ab.?%#é ", min_size=1, max_size=8).map(lambda text: "/" + text),
)
agents = st.tuples(st.sampled_from(["User-agent", "user-agent ", "Useragent"]), names).map(": ".join)
fields = st.tuples(st.sampled_from(["Disallow", "Allow", "Dissallow"]), patterns).map(": ".join)
odd = st.one_of(
    st.sampled_from(["", "# a comment", "Sitemap: https://a.example/s.xml", "Crawl-delay: 5", "Disallow /a"]),
    st.sampled_from(["Content-Signal: ai-train=no", "Content-Usage: train-ai=n", "License: https://a.example/l.xml"]),
    st.sampled_from(["Agentmap: https://a.example/agents.json", "<html>", "\x00", "\u2028", "User-agent"]),
    # Markers in odd places, whole and half.
    st.sampled_from([BEGIN.decode(), END.decode(), "  " + BEGIN.decode(), "x" + END.decode()]),
)
groups = st.tuples(
    st.lists(agents, min_size=1, max_size=3), st.lists(st.one_of(fields, fields, fields, odd, agents), max_size=5)
).map(lambda drawn: [*drawn[0], *drawn[1]])
files = st.tuples(
    st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\n"]),
    st.lists(st.one_of(groups, groups, odd.map(lambda line: [line])), min_size=1, max_size=6),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.sampled_from([b"", b"\n", b"\r", b"\n\n", b"# no end", b"\xff"]),
).map(lambda drawn: drawn[0] + drawn[2].join(line for group in drawn[1] for line in group).encode() + drawn[3])
rules = st.dictionaries(
    st.sampled_from(["GPTBot", "Googlebot", "Applebot", "CCBot", "OAI-SearchBot"]),
    st.sampled_from(["allow", "deny"]),
    max_size=5,
)


def verdicts(robots: Robots, bot: str) -> list[tuple[bool, str | None]]:
    found = [verdict_for(robots, bot, path) for path in PATHS]
    return [(verdict.allowed, verdict.line) for verdict in found]


def allowed(robots: Robots, bot: str) -> list[bool]:
    return [verdict.allowed for verdict in (verdict_for(robots, bot, path) for path in PATHS)]


def as_asked(own: bytes, bot: str, rule: CrawlerRule) -> list[bool]:
    """What the rule means, worked out in another way: on the file without the lines that close everything."""
    if rule == "deny":
        return [path == "/robots.txt" for path in PATHS]
    text = own.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    kept = [line for line in re.split(r"\r\n|\r|\n", text) if not closes_everything(line)]
    return allowed(parse("\n".join(kept).encode("utf-8", "surrogateescape")), bot)


def closes_everything(line: str) -> bool:
    words = line.partition("#")[0].replace(":", " ", 1).split()
    return words[:1] in (["Disallow"], ["Dissallow"]) and words[1:2] != [] and words[1] in CLOSING


@pytest.mark.hypothesis
@given(file=files, wanted=rules, later=rules)
def test_only_verdicts_of_the_chosen_crawlers_change(
    file: bytes, wanted: dict[str, CrawlerRule], later: dict[str, CrawlerRule]
) -> None:
    own = without_block(file)
    before = parse(own)
    written = own
    for asked in (wanted, later):
        written = with_block(written, block_of(written, asked))
        after = parse(written)
        for bot in OTHERS:
            if bot not in asked:
                assert allowed(after, bot) == allowed(before, bot), bot
                if before.names(bot) or bot not in ("Applebot", *BOTS):
                    assert verdicts(after, bot) == verdicts(before, bot), bot
        assert written.startswith(own) and without_block(written) == own
        assert with_block(written, None) == own
        assert [(signal.value, signal.agents) for signal in after.signals] == [
            (signal.value, signal.agents) for signal in before.signals
        ]
        assert after.sitemaps == before.sitemaps and len(after.problems) == len(before.problems)
    for bot, rule in later.items():
        if rule == "deny" or not before.names(bot):
            assert allowed(parse(written), bot) == as_asked(own, bot, rule), bot
        else:
            may = allowed(parse(written), bot)
            was = allowed(before, bot)
            assert all(now or not then for now, then in zip(may, was, strict=True)), "it may read no less than before"


WORDPRESS = (
    b"User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\nSitemap: https://a.example/sitemap.xml\n"
)


def test_disallow_rules_for_all_crawlers_still_apply_to_an_allowed_crawler() -> None:
    block = block_of(WORDPRESS, {"GPTBot": "allow", "ClaudeBot": "allow", "CCBot": "deny"})
    assert block == (
        "User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\nAllow: /\n\n"
        "User-agent: CCBot\nDisallow: /\n"
    )
    written = with_block(WORDPRESS, block)
    assert written == (
        WORDPRESS + b"\n# BEGIN Website Optimization\n" + block.encode() + b"# END Website Optimization\n"
    )
    assert written_block(written) == written_block(written.replace(b"\n", b"\r\n")) == block.rstrip("\n")
    assert without_block(written) == WORDPRESS and block_of(written, {}) is None
    # It is made of the website's own lines, not of the block that stands there; an editor may have changed its lines.
    assert block_of(written, {"GPTBot": "allow"}) == block_of(WORDPRESS, {"GPTBot": "allow"})
    assert block_of(written.replace(b"\n", b"\r\n"), {"GPTBot": "allow"}) == block_of(WORDPRESS, {"GPTBot": "allow"})


def test_a_crawler_can_be_allowed_although_all_others_are_disallowed() -> None:
    own = b"User-agent: *\nDisallow: /internal/\nDisallow: /\n"
    after = parse(with_block(own, block_of(own, {"GPTBot": "allow"})))
    assert after.verdict("GPTBot", "/").allowed and not after.verdict("GPTBot", "/internal/x").allowed
    assert not after.verdict("CCBot", "/").allowed


@pytest.mark.parametrize("pattern", ["/", "*", "/*", "/*$", "*/*", "/public/", "/public/$", "/p*c", "*.html", "*a*"])
def test_our_block_decides_even_if_the_crawler_already_has_a_group(pattern: str) -> None:
    own = f"User-agent: GPTBot\nAllow: {pattern}\n".encode()
    after = parse(with_block(own, block_of(own, {"GPTBot": "deny"})))
    assert not [path for path in ("/", "/public/", "/pc", "/x.html", "/aa") if after.verdict("GPTBot", path).allowed]
    own = f"User-agent: GPTBot\nDisallow: {pattern}\nDisallow: /long/private/\n".encode()
    after = parse(with_block(own, block_of(own, {"GPTBot": "allow"})))
    assert after.verdict("GPTBot", "/").allowed and not after.verdict("GPTBot", "/long/private/x").allowed


def test_rules_are_copied_for_a_crawler_that_would_lose_its_fallback_group() -> None:
    own = b"User-agent: *\nDisallow: /private/\n"
    written = with_block(own, block_of(own, {"Googlebot": "deny"}))
    assert verdict_for(parse(written), "Applebot", "/").allowed
    assert not verdict_for(parse(written), "Applebot", "/private/x").allowed
    named = own + b"\nUser-agent: Applebot\nDisallow: /x\n"
    assert "Applebot" not in (block_of(named, {"Googlebot": "deny"}) or "")


def test_our_rules_do_not_apply_to_a_crawler_named_without_rules_in_the_last_line() -> None:
    own = b"User-agent: SomeBot"
    written = with_block(own, block_of(own, {"GPTBot": "deny"}))
    assert parse(written).verdict("SomeBot", "/").allowed and not parse(written).verdict("GPTBot", "/").allowed


def test_lines_of_other_standards_stay_in_robots_txt_but_are_not_copied() -> None:
    own = (
        b"License: https://a.example/license.xml\nUser-agent: *\nContent-Usage: train-ai=n\nCrawl-delay: 3\n"
        b"Agentmap: https://a.example/agents.json\nDisallow: /a\n"
    )
    block = block_of(own, {"GPTBot": "allow"}) or ""
    assert {line.partition(":")[0] for line in block.split("\n")} == {"User-agent", "Disallow", "Allow", ""}
    assert with_block(own, block).startswith(own)
    # What stands before the first group belongs to no crawler, before and after.
    assert [one.agents for one in parse(with_block(own, block)).signals] == [("*",)]


def test_a_robots_txt_above_the_size_limit_of_crawlers_is_not_written() -> None:
    fits = b"#" * (MAX_BYTES - 500) + b"\n"
    written = with_block(fits, block_of(fits, {"GPTBot": "deny"}))
    assert not parse(written).verdict("GPTBot", "/").allowed
    with pytest.raises(TooLong, match="is already so long"):
        block_of(b"#" * MAX_BYTES, {"GPTBot": "deny"})
    # It may go, however long the file.
    assert without_block(b"#" * MAX_BYTES + written) == b"#" * MAX_BYTES + fits


def test_a_block_that_would_copy_too_many_rules_is_refused() -> None:
    own = b"User-agent: *\n" + b"".join(b"Disallow: /folder-%d/\n" % number for number in range(3_000))
    with pytest.raises(TooLong, match="too long"):
        block_of(own, {"GPTBot": "allow"})
    assert len(block_of(own, {"GPTBot": "deny"}) or "") < MOST_FILE
    # Crawlers that are allowed share one group: the list of all of them costs no more than one.
    some = b"User-agent: *\n" + b"".join(b"Disallow: /folder-%d/\n" % number for number in range(1_000))
    assert len(block_of(some, dict.fromkeys(BOTS, "allow")) or "") < MOST_FILE


def test_the_longest_possible_crawler_rules_fit_into_a_stored_change() -> None:
    """An undo restores the rules from the stored previous value, which is cut at a maximum length."""
    every = dict.fromkeys(BOTS, "allow")
    assert len(rules_text(every)) < MOST_BEFORE and rules_of(rules_text(every)) == every
    assert rules_of(rules_text({})) == {}
