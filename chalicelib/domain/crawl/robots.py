"""robots.txt by RFC 9309: finds the line of the file that allows or denies a crawler an address.

Where the RFC leaves a choice, this module follows Google's open-source parser. Common misspellings and a missing colon
are accepted. Only ``allow`` and ``disallow`` end a list of ``User-agent`` lines. The module differs from that parser in
one point: an empty rule never decides. The length of a pattern is its number of octets after percent-normalisation.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chalicelib.domain.crawl.urls import encode_path, encode_query, normalise

MAX_BYTES = 500 * 1024  # the least that the RFC asks parsers to read, and the most that the largest search engine reads
MAX_PROBLEMS = 100
MAX_WILD_RULES = 1_000  # of one crawler: rules with a star inside, each of which is searched for in every address
MAX_STARS = 20  # of one rule; a rule with more stars is ignored
MAX_SIGNALS = 1_000
_MOST_AGENTS_OF_SIGNAL = 100
_WORTH_AN_INDEX = 100  # rules with a star inside; fewer are searched one by one
_INDEXED_CHARACTERS = 5
_MOST_REMEMBERED = 60_000  # cached verdicts: an audit checks each known address many times
_MOST_REMEMBERED_CHARACTERS = 10_000_000  # of their addresses

# Fields that the RFC does not define but that are in common use, so they are not reported.
KNOWN_FIELDS = frozenset(
    {
        "user-agent",
        "allow",
        "disallow",
        "sitemap",
        "crawl-delay",
        "clean-param",
        "host",
        "request-rate",
        "visit-time",
        "noindex",
        "content-signal",
        "content-usage",
        "agentmap",
        "license",
    }
)
_MISSPELT = {
    "useragent": "user-agent",
    "user agent": "user-agent",
    "dissallow": "disallow",
    "dissalow": "disallow",
    "disalow": "disallow",
    "diasllow": "disallow",
    "disallaw": "disallow",
    "site-map": "sitemap",
}
_SIGNALS = ("content-signal", "content-usage")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_ABSOLUTE = re.compile(r"https?:", re.IGNORECASE)
_WORD = re.compile(r"[^\s/]+")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_TEXT_LIMIT = 200
# RFC 9309, 2.2.2: in a query, these mean the same plain or escaped, since none of them separates pairs.
_PLAIN_IN_QUERY = re.compile(r"%(?:3A|2F|3F|40|21|27|28|29|2C|3B)")


@dataclass(frozen=True, slots=True)
class Problem:
    """A line of robots.txt that does not do what its author intended.

    ``kind`` is one of these:

    - rule_before_user_agent
    - unknown_field
    - misspelt_field: accepted nevertheless
    - missing_colon
    - pattern_without_slash: never matches
    - bad_crawl_delay
    - empty_sitemap, relative_sitemap, broken_sitemap
    - too_long: the rest after 500 KiB is ignored
    - too_many_stars: the rule has more than 20 stars and is ignored
    """

    line_number: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Signal:
    """A ``Content-Signal`` or ``Content-Usage`` line, with the crawlers of its group (``()`` outside of a group)."""

    line_number: int
    field: str  # lower case
    value: str
    agents: tuple[str, ...]
    preferences: Mapping[str, str]  # such as {"search": "yes", "ai-train": "no"}, lower case


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of robots.txt for one crawler and one address.

    - ``line`` and ``line_number`` (from 1): the rule that decided; ``None`` if no rule matches, which allows the
      address.
    - ``group_agent``: the crawler name of the group that applies, as the file writes it (``*`` for the general group);
      ``None`` if no group applies.
    """

    allowed: bool
    line_number: int | None = None
    line: str | None = None
    group_agent: str | None = None


class _Rule:
    __slots__ = ("allow", "line", "line_number", "pattern", "rank")

    def __init__(self, allow: bool, pattern: str, line_number: int, line: str) -> None:
        self.allow = allow
        self.pattern = pattern  # percent-normalised, with its wildcards
        self.line_number = line_number
        self.line = line
        # Sorts the deciding rule first: longest, then allow, then the first written.
        self.rank = (-len(pattern), not allow, line_number)


@dataclass(slots=True)
class _Group:
    agents: list[str] = field(default_factory=list)  # as written, without version
    tokens: dict[str, str] = field(default_factory=dict)  # folded product token -> the name as written
    rules: list[_Rule] = field(default_factory=list)
    crawl_delay: float | None = None
    closed: bool = False  # a rule was seen: the next User-agent line begins another group


def _normal_path(text: str) -> str:
    """Percent-normalise a path with its query. Both sides of a comparison need this form."""
    path, mark, query = text.partition("?")
    path = encode_path(path)
    if not mark:
        return path
    query = _PLAIN_IN_QUERY.sub(lambda match: chr(int(match[0][1:], 16)), encode_query(query))
    return f"{path}?{query}"


def _normal_pattern(value: str) -> str:
    anchored = value.endswith("$")
    pattern = _normal_path(value[:-1] if anchored else value).replace("$", "%24")
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern + "$" if anchored else pattern


class _Matcher:
    """The rules of one crawler, sorted so that a look-up touches few of them. ``name``: the name of its group."""

    __slots__ = (
        *("_around", "_bodies", "_exact", "_firsts", "_index", "_name"),
        *("_prefixes", "_remembered", "_room", "_verdicts", "_wild"),
    )

    def __init__(self, rules: Iterable[_Rule], name: str | None) -> None:
        self._name = name
        self._exact: dict[str, _Rule] = {}
        self._prefixes: dict[str, _Rule] = {}
        # Rule, pieces between its stars, whether it is anchored, and the longest piece, which is searched first.
        self._wild: list[tuple[_Rule, list[str], bool, str]] = []
        wild = 0
        for rule in sorted(rules, key=lambda rule: rule.rank):
            pattern = rule.pattern
            anchored = pattern.endswith("$")
            body = pattern[:-1] if anchored else pattern
            if not anchored and body.endswith("*"):
                body = body.rstrip("*")  # a last star has no effect, but counts in the length
            if "*" in body:
                wild += 1
                if wild > MAX_WILD_RULES:
                    continue
                pieces = body.split("*")
                self._wild.append((rule, pieces, anchored, max(pieces, key=len)))
            elif anchored:
                self._exact.setdefault(body, rule)
            else:
                self._prefixes.setdefault(body, rule)
        # The beginning of the longest piece -> positions in _wild. Made only if there are many rules.
        self._index: dict[str, list[int]] = {}
        if len(self._wild) > _WORTH_AN_INDEX:
            for position, (*_, longest_piece) in enumerate(self._wild):
                self._index.setdefault(longest_piece[:_INDEXED_CHARACTERS], []).append(position)
        firsts: dict[str, set[int]] = {}
        for beginning in self._index:
            firsts.setdefault(beginning[:1], set()).add(len(beginning))
        self._firsts = [(first, sorted(lengths)) for first, lengths in firsts.items()]
        self._bodies = sorted(self._prefixes)
        # For each prefix, the longest other prefix that it begins with, as positions in _bodies.
        self._around = _nested(self._bodies)
        self._verdicts: dict[_Rule | None, Verdict] = {None: Verdict(True, None, None, name)}
        self._remembered: dict[str, Verdict] = {}
        self._room = _MOST_REMEMBERED_CHARACTERS

    def verdict(self, url: str) -> Verdict:
        """Return the rules' verdict on an address or a path. Verdicts are cached."""
        found = self._remembered.get(url)
        if found is None:
            rule = self.decide(_asked_path(url))
            found = self._verdicts.get(rule)
            if found is None:
                assert rule is not None
                found = self._verdicts[rule] = Verdict(rule.allow, rule.line_number, rule.line, self._name)
            self._room -= len(url)
            if len(self._remembered) < _MOST_REMEMBERED and self._room >= 0:
                self._remembered[url] = found
        return found

    def decide(self, path: str | None) -> _Rule | None:
        """Return the rule that decides about a normalised path. ``path``: ``None`` for robots.txt itself, for which no
        rule decides."""
        if path is None:
            return None
        best = self._exact.get(path)
        at = bisect_right(self._bodies, path) - 1
        # All other prefixes of the path are also prefixes of the entry just before it in order.
        while at >= 0 and not path.startswith(self._bodies[at]):
            at = self._around[at]
        longest = len(self._bodies[at]) if at >= 0 else 0
        # A last star counts in a rule's length but not in its prefix, so the next rule may be as long.
        while at >= 0 and len(self._bodies[at]) >= longest - 1:
            rule = self._prefixes[self._bodies[at]]
            if best is None or rule.rank < best.rank:
                best = rule
            at = self._around[at]
        for rule, pieces, anchored, longest_piece in self._possible(path):
            if best is not None and best.rank < rule.rank:
                break
            if longest_piece in path and _wild_match(path, pieces, anchored):
                return rule
        return best

    def _possible(self, path: str) -> Iterable[tuple[_Rule, list[str], bool, str]]:
        """Yield the rules with stars that may match, in order."""
        if not self._index:
            return self._wild
        found: set[int] = set()
        for first, lengths in self._firsts:
            at = path.find(first)
            while at >= 0:
                for length in lengths:
                    found.update(self._index.get(path[at : at + length], ()))
                at = path.find(first, at + 1)
        return [self._wild[position] for position in sorted(found)]


def _asked_path(url: str) -> str | None:
    """Return path and query of an address in the form of rules; ``None`` for robots.txt, which cannot be forbidden."""
    start = url.find("://")
    if start >= 0:
        start = url.find("/", start + 3)
        path = url[start:] if start >= 0 else "/"
    else:
        path = url
    path = path.partition("#")[0]
    if path == "/robots.txt":
        return None
    return _normal_path(path).replace("*", "%2A").replace("$", "%24")


def _nested(bodies: list[str]) -> list[int]:
    around: list[int] = []
    open_: list[int] = []
    for number, body in enumerate(bodies):
        while open_ and not body.startswith(bodies[open_[-1]]):
            open_.pop()
        around.append(open_[-1] if open_ else -1)
        open_.append(number)
    return around


def _wild_match(path: str, pieces: list[str], anchored: bool) -> bool:
    """Whether the pieces between stars occur in the path in order. Each is searched once, from the end of the previous
    one, so the cost is linear."""
    if not path.startswith(pieces[0]):
        return False
    position = len(pieces[0])
    for piece in pieces[1:-1]:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    last = pieces[-1]
    if anchored:
        return len(path) - len(last) >= position and path.endswith(last)
    return path.find(last, position) >= 0


class Robots:
    """A parsed robots.txt. Parse a file once and keep the result, because a crawler's rules are computed only once,
    when they are first needed."""

    def __init__(
        self, groups: list[_Group], sitemaps: list[str], problems: list[Problem], signals: list[Signal]
    ) -> None:
        self.sitemaps = sitemaps  # values of Sitemap lines as written, in order
        self.problems = problems  # at most 100
        self.signals = signals  # at most 1,000
        self._groups = groups
        self._matchers: dict[str, tuple[_Matcher, float | None]] = {}  # by the crawler's name as the caller gives it
        self._of_groups: dict[str | None, _Matcher] = {}  # by the name of the groups: "*" serves many crawlers

    def verdict(self, agent: str, url: str) -> Verdict:
        """Return the file's verdict on an address or path for the crawler with this product token."""
        return self._for(agent)[0].verdict(url)

    def names(self, agent: str) -> bool:
        """Whether a group names the crawler with this product token."""
        return bool(self._groups_of(agent.casefold())[1])

    def rules(self, agent: str) -> list[tuple[bool, str]]:
        """Return the rules of the groups that name the crawler (or ``*``), in the order of the file.

        Each rule has two parts: whether it allows or disallows, and its pattern, normalised for comparison.
        """
        return [(rule.allow, rule.pattern) for group in self._groups_of(agent.casefold())[1] for rule in group.rules]

    @property
    def ends_open(self) -> bool:
        """Whether the file ends in a list of ``User-agent`` lines. Rules that are added at the end would apply to the
        crawlers in this list."""
        return bool(self._groups) and not self._groups[-1].closed

    def crawl_delay(self, agent: str) -> float | None:
        """Return the seconds between requests that the crawler's group asks for; None if it asks for none."""
        return self._for(agent)[1]

    def _for(self, agent: str) -> tuple[_Matcher, float | None]:
        found = self._matchers.get(agent)
        if found is None:
            token = agent.casefold()
            name, groups = self._groups_of(token)
            if not groups:
                name, groups = self._groups_of("*")
            delays = [group.crawl_delay for group in groups if group.crawl_delay is not None]
            matcher = self._of_groups.get(name)
            if matcher is None:
                matcher = self._of_groups[name] = _Matcher((rule for group in groups for rule in group.rules), name)
            found = self._matchers[agent] = (matcher, delays[0] if delays else None)
        return found

    def _groups_of(self, token: str) -> tuple[str | None, list[_Group]]:
        """Return all groups that name the whole token, and the name as first written."""
        name: str | None = None
        groups = []
        for group in self._groups:
            written = group.tokens.get(token)
            if written is not None:
                name = name or written
                groups.append(group)
        return name, groups


class _Reader:
    """Reads the file line by line."""

    def __init__(self) -> None:
        self.groups: list[_Group] = []
        self.sitemaps: list[str] = []
        self.problems: list[Problem] = []
        self._signals: list[tuple[int, str, str, _Group | None]] = []
        self._group: _Group | None = None

    @property
    def signals(self) -> list[Signal]:
        # One tuple for all signals of a group: a file may hold a new name and a new signal on every other line.
        named = {id(group): tuple(group.agents[:_MOST_AGENTS_OF_SIGNAL]) for *_, group in self._signals if group}
        return [
            Signal(number, name, value, named[id(group)] if group else (), _preferences(value))
            for number, name, value, group in self._signals
        ]

    def problem(self, number: int, kind: str, text: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(number, kind, _shown(text)))

    def read(self, number: int, line: str) -> None:
        text = line.partition("#")[0].strip()
        if not text:
            return
        name, colon, value = text.partition(":")
        if not colon:
            words = text.split()
            if len(words) != 2 or _MISSPELT.get(words[0].lower(), words[0].lower()) not in KNOWN_FIELDS:
                self.problem(number, "unknown_field", line)
                return
            name, value = words
            self.problem(number, "missing_colon", line)
        name = name.strip().lower()
        value = value.strip()
        if name in _MISSPELT:
            self.problem(number, "misspelt_field", line)
            name = _MISSPELT[name]
        if name == "user-agent":
            self._user_agent(value)
        elif name in ("allow", "disallow"):
            self._rule(number, line, name == "allow", value)
        elif name == "sitemap":
            self._sitemap(number, line, value)
        elif name == "crawl-delay":
            self._crawl_delay(number, line, value)
        elif name in _SIGNALS and len(self._signals) < MAX_SIGNALS:
            self._signals.append((number, name, _shown(value), self._group))
        elif name not in KNOWN_FIELDS:
            self.problem(number, "unknown_field", line)

    def _user_agent(self, value: str) -> None:
        group = self._group
        if group is None or group.closed:
            group = self._group = _Group()
            self.groups.append(group)
        if value == "*" or value[:2] in ("* ", "*\t"):
            group.agents.append("*")
            group.tokens["*"] = "*"
            return
        # A name is its letters up to the first other character (RFC 9309, 2.2.1); names with a digit are in use
        # too, so the whole first word counts as well. A value with neither ends the group and names no crawler.
        word = _WORD.match(value)
        if word is None:
            return
        written = _shown(word[0])
        group.agents.append(written)
        group.tokens.setdefault(word[0].casefold(), written)
        token = _TOKEN.match(value)
        if token is not None:
            group.tokens.setdefault(token[0].casefold(), written)

    def _rule(self, number: int, line: str, allow: bool, value: str) -> None:
        if self._group is None:
            self.problem(number, "rule_before_user_agent", line)
            return
        self._group.closed = True
        if not value:
            return
        if value[0] not in "/*":
            self.problem(number, "pattern_without_slash", line)
            return
        pattern = _normal_pattern(value)
        if pattern.count("*") > MAX_STARS:
            self.problem(number, "too_many_stars", line)
            return
        self._group.rules.append(_Rule(allow, pattern, number, _shown(line)))

    def _sitemap(self, number: int, line: str, value: str) -> None:
        if not value:
            self.problem(number, "empty_sitemap", line)
            return
        self.sitemaps.append(_shown_whole(value))
        if not _ABSOLUTE.match(value):
            self.problem(number, "relative_sitemap", line)
        elif normalise(value) is None or any(character.isspace() for character in value):
            self.problem(number, "broken_sitemap", line)

    def _crawl_delay(self, number: int, line: str, value: str) -> None:
        if self._group is None:
            self.problem(number, "rule_before_user_agent", line)
        elif not _SECONDS.fullmatch(value):
            self.problem(number, "bad_crawl_delay", line)
        elif self._group.crawl_delay is None:
            self._group.crawl_delay = float(value)


def _preferences(value: str) -> dict[str, str]:
    pairs = {}
    for part in statements(value):
        key, equals, setting = part.partition("=")
        if equals and key:
            pairs[key] = setting
    return pairs


def statements(value: str) -> list[str]:
    """Split a signal's value into its parts, such as ``search=yes``, in lower case. A path at the beginning counts as a
    part too."""
    together = "=".join(part.strip() for part in value.lower().split("="))
    return together.replace(",", " ").split()


def _shown(text: str) -> str:
    """Return a line for display: trimmed, with bytes that are not UTF-8 replaced."""
    return _shown_whole(text.strip()[:_TEXT_LIMIT])


def _shown_whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8", "replace")


def _text_of(data: bytes | str) -> tuple[str, bool]:
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    too_long = len(raw) > MAX_BYTES
    raw = raw[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf")
    return raw.decode("utf-8", "surrogateescape"), too_long


def parse(data: bytes | str) -> Robots:
    """Parse any robots.txt. Unreadable lines are listed in ``problems``. Never raises."""
    reader = _Reader()
    text, too_long = _text_of(data)
    number = 0
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        reader.read(number, line)
    if too_long:
        reader.problem(number, "too_long", "the file is larger than 500 KiB")
    return Robots(reader.groups, reader.sitemaps, reader.problems, reader.signals)
