"""The block of lines in robots.txt with which the service allows or forbids crawlers to read the website. The CMS
writes it.

A crawler obeys only one group: the group that names it, or else the group of ``*``. A new group with only ``Allow: /``
would therefore allow the crawler everything that the group of ``*`` disallows. For this reason, a group that allows a
crawler repeats the rules that applied to the crawler before, except rules that disallow the whole website.

The block is between two marker lines at the end of the file. There it does not affect other crawlers. Its lines do not
continue a group of the website, and the lines that the website writes before its first group do not become part of the
block. A byte order mark stays at the start of the file. If the website's own lines have a group for the same crawler,
crawlers merge both groups. The block's rules then take precedence over rules that contradict them.
"""

from collections.abc import Sequence
from typing import Final

from chalicelib.domain.connector.messages import MOST_FILE
from chalicelib.domain.crawl.robots import MAX_BYTES, MAX_STARS, Robots, parse
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.readiness.access import FOLLOWING
from chalicelib.domain.readiness.written import Rules

BEGIN: Final = b"# BEGIN Website Optimization"
END: Final = b"# END Website Optimization"

Lines = tuple[tuple[bool, str], ...]  # of each rule whether it allows, and its pattern


class TooLong(Exception):
    """Raised when the rules do not fit into the file. The text explains the reason to the user."""


def block_of(file: bytes, rules: Rules) -> str | None:
    """Make the block that enforces the rules; None if there are no rules. Raises ``TooLong``.

    - ``file``: the current robots.txt, with or without an earlier block.
    - ``rules``: whether each crawler is allowed, by its name in the project's list.
    """
    if not rules:
        return None
    own = without_block(file)
    robots = parse(own)
    # Crawlers with the same rules share a group.
    groups: dict[Lines, list[str]] = {}
    for bot, lines in _groups(robots, rules):
        groups.setdefault(lines, []).append(bot)
    text = "\n".join(_group(bots, lines) for lines, bots in groups.items())
    if robots.ends_open:
        text = f"Disallow:\n\n{text}"  # an empty rule that ends the open list of user agents in the file
    if len(text) > MOST_FILE:
        raise TooLong(
            "The service's rules for crawlers repeat lines of robots.txt that apply to all crawlers. With them, the "
            f"rules have {len(text)} characters, which is too long."
        )
    if len(with_block(own, text)) > MAX_BYTES:
        raise TooLong("robots.txt is already so long that crawlers would not read rules at its end.")
    return text


def with_block(file: bytes, block: str | None) -> bytes:
    """Return the file with this block in place of its earlier block. ``block``: None removes the block."""
    own = without_block(file)
    if block is None:
        return own
    return b"\n".join([own, BEGIN, block.rstrip("\n").encode(), END, b""])


def without_block(file: bytes) -> bytes:
    """Return the file without its last complete block. The result is byte for byte the file that was there before the
    block was written."""
    found = _place(file)
    return file if found is None else file[: found[0]] + file[found[1] :]


def written_block(file: bytes) -> str | None:
    """Return the text of the block in the file, whatever its line ends are; None if there is no block."""
    found = _place(file)
    if found is None:
        return None
    lines = file[found[0] : found[1]].replace(b"\r\n", b"\n").split(b"\n")
    return b"\n".join(lines[2:-2]).decode("utf-8", "replace")  # without the markers and the lines around them


def rules_in(block: str, held: Rules) -> Rules:
    """Return the rules that a block expresses. ``held``: the rules that the service stored.

    The block also has groups for crawlers that would otherwise follow another crawler's group. They are left out if the
    service stored no rule for them.
    """
    robots = parse(block.encode())
    named = [crawler.bot for crawler in crawler_list().crawlers if robots.names(crawler.bot)]
    return {
        bot: "deny" if (False, "/") in robots.rules(bot) else "allow"
        for bot in named
        if bot in held or FOLLOWING.get(bot) not in named
    }


def _place(file: bytes) -> tuple[int, int] | None:
    """Return the beginning (with the line end before it) and the end of the last complete block; None without one. An
    editor or a proxy may have changed its line ends."""
    places = []
    for line_end in (b"\n", b"\r\n"):
        last = line_end + END + line_end
        end = file.rfind(last)
        begin = -1 if end < 0 else file.rfind(line_end + BEGIN + line_end, 0, end + len(line_end))
        if begin >= 0:
            places.append((begin, end + len(last)))
    return max(places, key=lambda place: place[1], default=None)


def _group(bots: Sequence[str], lines: Lines) -> str:
    named = "".join(f"User-agent: {bot}\n" for bot in bots)
    return named + "".join(f"{'Allow' if allow else 'Disallow'}: {pattern}\n" for allow, pattern in lines)


def _groups(robots: Robots, rules: Rules) -> list[tuple[str, Lines]]:
    """Return the lines for each crawler, in the order of the crawler list."""
    told = []
    for crawler in crawler_list().crawlers:
        rule = rules.get(crawler.bot)
        if rule is not None:
            told.append(
                (crawler.bot, _denying(robots, crawler.bot) if rule == "deny" else _allowing(robots, crawler.bot))
            )
        elif FOLLOWING.get(crawler.bot) in rules and not robots.names(crawler.bot):
            # Without a group, it would follow the other crawler's new group. So it gets the rules that apply to it now.
            told.append((crawler.bot, tuple(_inherited(robots, crawler.bot)) or ((True, "/"),)))
    return told


def _denying(robots: Robots, bot: str) -> Lines:
    outweighed = (_longer(pattern) for allow, pattern in robots.rules(bot) if allow)
    return (False, "/"), *dict.fromkeys((False, pattern) for pattern in outweighed if pattern is not None)


def _allowing(robots: Robots, bot: str) -> Lines:
    if robots.names(bot):
        # Its own rules stay, except those that disallow everything: of two equally long rules the allowing one wins.
        closing = (pattern for allow, pattern in robots.rules(bot) if not allow and _is_everything(pattern))
        return (True, "/"), *dict.fromkeys((True, pattern) for pattern in closing if pattern != "/")
    kept = ((allow, pattern) for allow, pattern in _inherited(robots, bot) if allow or not _is_everything(pattern))
    return *dict.fromkeys(one for one in kept if one != (True, "/")), (True, "/")


def _inherited(robots: Robots, bot: str) -> list[tuple[bool, str]]:
    """Return the rules that apply to a crawler that no group names."""
    leader = FOLLOWING.get(bot)
    return robots.rules(leader if leader is not None and robots.names(leader) else "*")


def _is_everything(pattern: str) -> bool:
    """Whether a pattern matches every path."""
    body = pattern.removesuffix("$")
    return not body.strip("*/") and body.count("/") <= 1 and (body == pattern or body.endswith("*"))


def _longer(pattern: str) -> str | None:
    """Return a pattern that matches everything this one does and outweighs it; None if there is none. It may match more
    addresses, which does no harm in a group that disallows everything."""
    if "*" in pattern and _is_everything(pattern):
        longer = "/*" if len(pattern) == 1 else "*/*" if len(pattern) == 2 else "*/*$"
        return longer if len(longer) > len(pattern) else None
    end = len(pattern) - pattern.endswith("$")
    if pattern.count("*") >= MAX_STARS:
        return None
    for at in range(end, 0, -1):
        if pattern[at - 1] != "*" and pattern[at : at + 1] != "*":
            return f"{pattern[:at]}*{pattern[at:]}"
    return f"/{pattern}" if pattern.startswith("*") and pattern[1:2] != "/" else None
