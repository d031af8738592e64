"""robots.txt: which line decides. The vectors come from the RFC's and the field's own examples."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.crawl import robots
from chalicelib.domain.crawl.robots import MAX_BYTES, MAX_PROBLEMS, Verdict, parse
from tests.reference import loop_seconds

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "robots-vectors.json").read_text("utf-8"))


def allowed(robots: str | bytes, agent: str, path: str) -> bool:
    return parse(robots).verdict(agent, "https://example.com" + path).allowed


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_verdicts_for_known_pitfalls_match_the_published_test_vectors(vector: dict[str, Any]) -> None:
    assert parse(vector["robots"]).verdict(vector["agent"], vector["url"]).allowed is vector["allowed"]
    assert parse(vector["robots"].encode()).verdict(vector["agent"], vector["url"]).allowed is vector["allowed"]


# -- which group ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "agent", "named"),
    [
        ("Googlebot", "Googlebot", True),
        ("GOOGLEBOT", "googlebot", True),
        ("Googlebot/2.1", "Googlebot", True),
        ("Googlebot (the crawler)", "Googlebot", True),
        ("Google", "Googlebot", False),
        ("Googlebot-News", "Googlebot", False),
        ("Applebot", "Applebot-Extended", False),
        ("Google", "Google-Extended", False),
        ("AI2Bot", "AI2Bot", True),
        ("archive.org_bot", "archive.org_bot", True),
        ("5emeRue", "emeRue", False),
        ("", "FooBot", False),
        ("* ", "FooBot", True),
        ("*Bot", "FooBot", False),
    ],
)
def test_a_group_applies_to_a_crawler_only_if_the_group_has_its_full_name(line: str, agent: str, named: bool) -> None:
    assert allowed(f"User-agent: {line}\nDisallow: /\n", agent, "/a") is not named


def test_a_crawler_with_its_own_group_ignores_the_general_group() -> None:
    robots = parse("User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /only\n")
    assert robots.verdict("GPTBot", "/private").allowed
    assert robots.verdict("GPTBot", "/only") == Verdict(False, 5, "Disallow: /only", "GPTBot")
    assert robots.verdict("Other", "/private") == Verdict(False, 2, "Disallow: /private", "*")
    assert robots.verdict("Other", "/free") == Verdict(True, None, None, "*")


def test_everything_is_allowed_without_a_robots_txt_or_a_matching_group() -> None:
    for text in ("", "\n\n# nothing\n", "User-agent: Other\nDisallow: /\n"):
        assert parse(text).verdict("FooBot", "https://example.com/a") == Verdict(True, None, None, None)


def test_several_groups_of_one_crawler_are_merged() -> None:
    robots = parse("User-agent: a\nDisallow: /1\n\nUser-agent: b\nUser-agent: A\nDisallow: /2\n")
    assert not robots.verdict("a", "/1").allowed and not robots.verdict("a", "/2").allowed
    assert robots.verdict("b", "/1").allowed
    assert robots.verdict("a", "/2").group_agent == "a", "as the file first writes it"


@pytest.mark.parametrize(
    "between", ["", "\n\n", "# comment\n", "Crawl-delay: 1\n", "Sitemap: https://x/s\n", "Foo: 1\n"]
)
def test_a_list_of_user_agents_ends_only_at_a_rule(between: str) -> None:
    text = f"User-agent: a\n{between}User-agent: b\nDisallow: /x\n"
    assert not allowed(text, "a", "/x") and not allowed(text, "b", "/x")


def test_an_empty_rule_also_ends_a_list_of_user_agents() -> None:
    text = "User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /x\n"
    assert allowed(text, "a", "/x") and not allowed(text, "b", "/x")


# -- which line -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "path", "number"),
    [
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", 3),
        ("Allow: /a/b\nDisallow: /a", "/a/b/c", 2),
        ("Disallow: /a\nAllow: /a", "/a", 3),
        ("Disallow: /a\nDisallow: /a", "/a", 2),
        ("Disallow: /\nAllow:", "/a", 2),
        ("Disallow:\nAllow:", "/a", None),
        ("Disallow: /a*\nAllow: /a", "/ab", 2),
        ("Disallow: /a/*/c\nAllow: /a/b/", "/a/b/c", 2),
        ("Disallow: /*.gif$\nAllow: /i", "/i/x.gif", 2),
        ("Disallow: /*.gif$\nAllow: /images/", "/images/x.gif", 3),
        ("Allow: /$\nDisallow: /", "/", 2),
        ("Allow: /$\nDisallow: /", "/a", 3),
        ("Disallow: /folder/\nAllow: /folder/index.html", "/folder/", 2),
    ],
)
def test_the_longest_rule_wins_and_allow_wins_a_tie(rules: str, path: str, number: int | None) -> None:
    assert parse("User-agent: *\n" + rules).verdict("FooBot", path).line_number == number


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/fish", "/fish.html", True),
        ("/fish", "/Fish.asp", False),
        ("/fish/", "/fish", False),
        ("/fish*", "/fishheads/yummy.html", True),
        ("/*.php", "/folder/any.php?parameters", True),
        ("/*.php$", "/filename.php?parameters", False),
        ("/*.php$", "/a.php/b.php", True),
        ("/fish*.php", "/fishheads/catfish.php?x", True),
        ("*", "/", True),
        ("/a$b", "/a$b", True),
        ("/a$b", "/a", False),
        ("/a*$", "/abc", True),
        ("/a**b", "/a/x/b", True),
        ("/*a*a$", "/a", False),
        ("/*a*a$", "/aa", True),
        ("/x*xy$", "/xy", False),
        ("/?s=", "/?s=word", True),
        ("/page?*id=", "/page?a=1&id=2", True),
        ("a", "/a", False),
    ],
)
def test_patterns_match_from_the_start_with_wildcards_and_end_anchors(pattern: str, path: str, matches: bool) -> None:
    assert allowed(f"User-agent: *\nDisallow: {pattern}\n", "FooBot", path) is not matches


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ"),
        ("/foo/%e3%83%84", "/foo/%E3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/a%2A.html", "/a*.html"),
        ("/a%24", "/a$"),
        ("/a b", "/a%20b"),
    ],
)
def test_rules_and_paths_are_percent_normalised_before_comparison(pattern: str, path: str) -> None:
    assert not allowed(f"User-agent: *\nDisallow: {pattern}\n", "FooBot", path)


def test_an_escaped_slash_does_not_equal_a_slash() -> None:
    assert allowed("User-agent: *\nDisallow: /a/b\n", "FooBot", "/a%2Fb")
    assert allowed("User-agent: *\nDisallow: /a%2A\n", "FooBot", "/ab"), "an escaped star is no wildcard"


def test_a_byte_that_is_not_utf8_matches_only_the_same_byte() -> None:
    robots = parse(b"User-agent: *\nDisallow: /caf\xe9\n")
    assert not robots.verdict("FooBot", "/caf%E9").allowed
    assert robots.verdict("FooBot", "/caf%C3%A9").allowed
    assert (robots.verdict("FooBot", "/caf%E9").line or "").isprintable()


def test_robots_txt_itself_is_always_allowed() -> None:
    robots = parse("User-agent: *\nDisallow: /\n")
    assert robots.verdict("FooBot", "https://example.com/robots.txt").allowed
    assert not robots.verdict("FooBot", "https://example.com/robots.txt.html").allowed


@pytest.mark.parametrize("url", ["https://example.com", "https://example.com/", "/", "https://example.com/#x"])
def test_a_rule_for_the_root_matches_the_root_in_every_spelling(url: str) -> None:
    assert not parse("User-agent: *\nDisallow: /$\n").verdict("FooBot", url).allowed


# -- how the file is written ----------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_and_a_byte_order_mark_do_not_matter(end: str, mark: str) -> None:
    robots = parse(mark + end.join(["User-agent: *", "", "Disallow: /a # why", "  ALLOW :/a/b  "]))
    assert robots.verdict("FooBot", "/a") == Verdict(False, 3, "Disallow: /a # why", "*")
    assert robots.verdict("FooBot", "/a/b") == Verdict(True, 4, "ALLOW :/a/b", "*")
    assert robots.problems == []


@pytest.mark.parametrize(
    ("line", "kind", "blocks"),
    [
        ("dissallow: /", "misspelt_field", True),
        ("Disalow: /", "misspelt_field", True),
        ("Disallow /", "missing_colon", True),
        ("Noindexx: /", "unknown_field", False),
        ("<html>", "unknown_field", False),
        ("disallow everything please", "unknown_field", False),
        ("Disallow: private/", "pattern_without_slash", False),
        ("Crawl-delay: soon", "bad_crawl_delay", False),
        ("Crawl-delay: -1", "bad_crawl_delay", False),
        ("Sitemap:", "empty_sitemap", False),
        ("Sitemap: /sitemap.xml", "relative_sitemap", False),
        ("Sitemap: sitemap.xml", "relative_sitemap", False),
        ("Sitemap: https://", "broken_sitemap", False),
        ("Sitemap: https://a.test/1.xml https://a.test/2.xml", "broken_sitemap", False),
    ],
)
def test_misspelt_and_ineffective_lines_are_reported(line: str, kind: str, blocks: bool) -> None:
    robots = parse(f"User-agent: *\n{line}\n")
    assert [(p.line_number, p.kind, p.text) for p in robots.problems] == [(2, kind, line)]
    assert robots.verdict("FooBot", "/a").allowed is not blocks


@pytest.mark.parametrize("line", ["Disallow: /", "Allow: /", "Crawl-delay: 5"])
def test_a_rule_before_the_first_user_agent_is_reported_and_ignored(line: str) -> None:
    robots = parse(f"{line}\nUser-agent: *\nAllow: /\n")
    assert [(p.line_number, p.kind) for p in robots.problems] == [(1, "rule_before_user_agent")]
    assert robots.verdict("FooBot", "/a").line_number == 3


@pytest.mark.parametrize(
    "line",
    [
        *(
            "Sitemap: https://x/s.xml",
            "Crawl-delay: 2",
            "Clean-param: s",
            "Host: x",
            "Request-rate: 1/5",
            "Noindex: /a",
        ),
        *("Visit-time: 0600-0845", "Content-Signal: ai-train=no", "Content-Usage: train-ai=n", "License: https://x/l"),
        *("Agentmap: https://x/a", "# comment", ""),
    ],
)
def test_known_fields_are_accepted_without_a_problem(line: str) -> None:
    assert parse(f"User-agent: *\n{line}\nDisallow: /a\n").problems == []


def test_the_list_of_problems_is_limited() -> None:
    assert len(parse("<p>\n" * 1000).problems) == MAX_PROBLEMS


def test_text_after_500_kib_is_not_read() -> None:
    robots = parse(b"User-agent: *\nDisallow: /a\n" + b"#" * MAX_BYTES + b"\nDisallow: /b\n")
    assert not robots.verdict("FooBot", "/a").allowed and robots.verdict("FooBot", "/b").allowed
    assert [problem.kind for problem in robots.problems] == ["too_long"]


def test_sitemap_lines_are_read_in_order_wherever_they_are_in_robots_txt() -> None:
    robots = parse("Sitemap: https://x/1.xml\nUser-agent: *\nDisallow: /\nsite-map: https://x/2.xml # two\nSitemap:\n")
    assert robots.sitemaps == ["https://x/1.xml", "https://x/2.xml"]


def test_the_crawl_delay_is_taken_from_the_group_of_the_crawler() -> None:
    robots = parse("User-agent: a\nCrawl-delay: 2.5\nDisallow:\n\nUser-agent: *\nCrawl-delay: 10\nCrawl-delay: 20\n")
    assert (robots.crawl_delay("A"), robots.crawl_delay("other")) == (2.5, 10.0)
    assert parse("User-agent: *\nDisallow:\n").crawl_delay("a") is None


def test_content_signals_list_the_crawlers_they_apply_to() -> None:
    robots = parse(
        "Content-Signal: search=yes\nUser-agent: *\nUser-agent: GPTBot\n"
        "Content-Signal: Search=Yes, ai-train=no\nContent-Usage: train-ai=n\nAllow: /\n"
    )
    first, second, third = robots.signals
    assert (first.agents, first.preferences) == ((), {"search": "yes"})
    assert (second.line_number, second.field, second.agents) == (4, "content-signal", ("*", "GPTBot"))
    assert second.preferences == {"search": "yes", "ai-train": "no"}
    assert second.value == "Search=Yes, ai-train=no"
    assert (third.field, third.preferences) == ("content-usage", {"train-ai": "n"})


# -- against a slow and simple reading ------------------------------------------------------------------------

PATTERN = st.text("ab/*$?", max_size=8).map(lambda text: "/" + text)
RULE = st.tuples(st.booleans(), PATTERN)


def simple_decision(rules: list[tuple[bool, str]], path: str) -> tuple[bool, int | None]:
    best: tuple[int, bool, int] | None = None
    for number, (allow, pattern) in enumerate(rules, start=2):
        anchored = pattern.endswith("$")
        body = re.sub(r"\*+", "*", pattern[:-1] if anchored else pattern)
        expression = "".join(".*" if c == "*" else re.escape(c) for c in body) + ("$" if anchored else "")
        if re.match(expression, path):
            length = len(body.replace("$", "%24")) + anchored
            rank = (length, allow, -number)
            best = max(best, rank) if best else rank
    return (best[1], -best[2]) if best else (True, None)


@pytest.mark.parametrize("worth_an_index", [robots._WORTH_AN_INDEX, 0])
@given(rules=st.lists(RULE, max_size=6), path=st.text("ab/?", max_size=8).map(lambda text: "/" + text))
def test_the_index_of_rules_decides_as_a_simple_search_through_all_rules_does(
    worth_an_index: int, rules: list[tuple[bool, str]], path: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(robots, "_WORTH_AN_INDEX", worth_an_index)
        compare(rules, path)


def compare(rules: list[tuple[bool, str]], path: str) -> None:
    text = "User-agent: *\n" + "".join(f"{'Allow' if allow else 'Disallow'}: {pattern}\n" for allow, pattern in rules)
    verdict = parse(text).verdict("FooBot", path)
    assert (verdict.allowed, verdict.line_number) == simple_decision(rules, path)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_parsed(data: bytes) -> None:
    robots = parse(data)
    assert robots.verdict("FooBot", "/a").allowed in (True, False)
    for problem in robots.problems:
        problem.text.encode()


def test_hostile_patterns_do_not_slow_down_matching() -> None:
    robots = parse("User-agent: *\nDisallow: /" + "*a" * 5000 + "$\nDisallow: /" + "a*" * 5000 + "b$\n")
    started = time.process_time()
    for _ in range(100):
        assert robots.verdict("FooBot", "/" + "a" * 2000).allowed
    assert time.process_time() - started < 115 * loop_seconds()


def test_a_crawler_is_matched_by_its_full_name_in_any_letter_case() -> None:
    robots = parse("User-agent: Claude-Web\nDisallow:\n\nUser-agent: *\nDisallow: /\n")
    assert robots.names("claude-web") and robots.names("Claude-Web")
    assert not robots.names("Claude") and not robots.names("GPTBot")


def test_spaces_around_equals_signs_in_content_signals_are_ignored() -> None:
    (signal,) = parse("User-agent: *\nContent-Signal: search = YES ,ai-train=no\tuse =full\n").signals
    assert signal.preferences == {"search": "yes", "ai-train": "no", "use": "full"}


# What people write for each field.
SPELLINGS = {
    "user-agent": ("useragent", "user agent"),
    "disallow": ("dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "sitemap": ("site-map",),
}


@pytest.mark.parametrize(("field", "written"), [(field, one) for field, many in SPELLINGS.items() for one in many])
def test_common_misspellings_of_field_names_are_corrected(field: str, written: str) -> None:
    lines = {"user-agent": "User-agent: *", "disallow": "Disallow: /", "sitemap": "Sitemap: https://example.com/s.xml"}
    value = lines[field].partition(":")[2]
    lines[field] = f"{written}:{value}"
    robots = parse("\n".join(lines.values()))
    assert not robots.verdict("FooBot", "/a").allowed
    assert list(robots.sitemaps) == ["https://example.com/s.xml"]
    assert [problem.kind for problem in robots.problems] == ["misspelt_field"]


@pytest.mark.parametrize("field", sorted(robots.KNOWN_FIELDS))
def test_no_known_field_is_reported_as_a_problem(field: str) -> None:
    values = {"sitemap": "https://example.com/s.xml", "crawl-delay": "1", "content-signal": "search=yes"}
    given = f"User-agent: *\nDisallow: /b\n{field}: {values.get(field, '/x')}\n"
    assert parse(given).problems == []


def test_rules_without_wildcards_apply_even_if_there_are_too_many_wildcard_rules() -> None:
    wild = "".join(f"Disallow: /{number}*x\n" for number in range(robots.MAX_WILD_RULES + 1))
    read = parse(f"User-agent: *\n{wild}Disallow: /a\n")
    assert not read.verdict("FooBot", "/a").allowed


def test_wildcard_rules_apply_up_to_their_maximum_number() -> None:
    """So many rules are matched with an index. The longest rules are kept."""
    most = robots.MAX_WILD_RULES
    read = parse("User-agent: *\n" + "".join(f"Disallow: /{number:04}*x\n" for number in range(most + 1)))
    forbidden = [n for n in range(most + 1) if not read.verdict("FooBot", f"/{n:04}/y/x").allowed]
    assert forbidden == list(range(most))
    assert read.verdict("FooBot", "/0007/y/z").allowed


def test_cached_robots_txt_verdicts_are_limited_by_their_total_number_of_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(robots, "_MOST_REMEMBERED_CHARACTERS", 1_000)
    read = parse("User-agent: *\nDisallow: /a\n")
    addresses = [f"https://example.com/{'b' * 80}{number}" for number in range(100)]
    assert all(read.verdict("FooBot", address).allowed for address in addresses)
    (matcher, _) = read._matchers["FooBot"]
    assert 0 < sum(map(len, matcher._remembered)) <= 1_000


def test_the_first_crawl_delay_in_any_group_of_the_crawler_is_used() -> None:
    read = parse("User-agent: a\nDisallow: /x\n\nUser-agent: b\nAllow: /\n\nUser-agent: a\nCrawl-delay: 3\n")
    assert read.crawl_delay("a") == 3.0 and read.crawl_delay("b") is None
