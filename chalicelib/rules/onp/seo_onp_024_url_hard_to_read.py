"""SEO-ONP-024: an address that is hard to read, to type and to share."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.rules.address_faults import LONGEST_PATH, MOST_PARAMETERS, Fault, faults_of, parameters_of, path_of
from chalicelib.rules.con.seo_con_002_exact_duplicate import repeats_another
from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed, part, spelled

HABIT_SHARE: Final = 0.1  # share of the addresses; a fault that more have is a habit of the website's makers
HABIT_PAGES: Final = 5
MADE_SO: Final = 0.5  # share of the addresses; a fault that more have comes from the website's software
# "APIchunk3", "IMG_2041": capitals only as the first word, which software or a camera writes before each name.
_ACRONYM: Final = re.compile(r"/([A-Z]{2,10})[^A-Z/?]{1,80}$")
# A single fault of these kinds harms nobody: renaming the page costs more than it gains.
_STYLE: Final = frozenset({"underscores", "upper-case letters"})


class Habits(NamedTuple):
    """Faults that many of the website's addresses have.

    - ``pages``: how many addresses have each fault.
    - ``of``: the number of judged addresses.
    - ``told_at``: the address at which these faults are reported for all addresses.
    - ``made_so``: faults that most addresses have, or that come from one folder's name. These faults are not reported.
    - ``named``: whether addresses with such a fault are left out because they repeat a name.
    """

    pages: Mapping[Fault, int]
    of: int
    told_at: str | None
    made_so: frozenset[Fault] = frozenset()
    named: bool = False


def habits(site: Site) -> Habits:
    """Return the common faults of the website's addresses.

    They are reported only once, at the address with the largest number of these faults. If several addresses have this
    number, the shortest of these addresses is used.
    """
    judged = [address for address in site.indexable() if address.canonical_is_self and not address.in_frame]
    times = Counter(fault for address in judged for fault in address.faults)
    times["upper-case letters"] -= _with_one_acronym(judged) if times["upper-case letters"] else 0
    common = {
        fault: count
        for fault, count in times.most_common()
        if count >= HABIT_PAGES and count > HABIT_SHARE * len(judged)
    }
    # Here, addresses that repeat the name of a thing count too, because they show how the website makes addresses.
    needed = common or any(len(address.faults) > 1 for address in judged)
    written = Counter(fault for address in judged for fault in faults_of(address.url)) if needed else Counter()
    made_so = frozenset(
        fault for fault in times if written[fault] >= HABIT_PAGES and written[fault] > MADE_SO * len(judged)
    )
    common = {fault: count for fault, count in common.items() if fault not in made_so}
    if len(common) == 1 and not _STYLE.isdisjoint(common) and _is_of_one_folder(next(iter(common)), judged):
        made_so, common = made_so.union(common), {}
    having = (
        (-sum(fault in common for fault in address.faults), len(address.url), address.url)
        for address in judged
        if not common.keys().isdisjoint(address.faults)
    )
    told_at = min(having, default=None)
    named = any(written[fault] > count for fault, count in common.items())
    return Habits(common, len(judged), told_at[2] if told_at is not None else None, made_so, named)


def _is_of_one_folder(fault: Fault, judged: Sequence[Address]) -> bool:
    """Whether addresses have the fault only because the same folder's name has it."""
    folders = set()
    for address in judged:
        if fault not in address.faults:
            continue
        *above, last = path_of(address.url).split("/")
        if fault in faults_of(f"/{last}", [address.title]):
            return False
        folders.add(next((part for part in above if fault in faults_of(f"/{part}/")), None))
    return len(folders) == 1 and None not in folders


def _with_one_acronym(judged: Sequence[Address]) -> int:
    """Return how many addresses have capitals in their names only because all of these names begin with the same
    acronym. Returns 0 for fewer than ``HABIT_PAGES`` addresses."""
    begun: Counter[str] = Counter()
    for address in judged:
        if "upper-case letters" in address.faults and (match := _ACRONYM.search(address.url)) is not None:
            begun[match[1]] += 1
    return sum(count for count in begun.values() if count >= HABIT_PAGES)


def check(page: Page, site: Site) -> PageVerdict:
    faults = page.address.faults
    if not faults or not page.canonical_is_self or page.facts.in_frame:
        return None  # no fault, or search shows another address
    common = site.once(habits)
    if page.url == common.told_at:
        return _habit(page.url, faults, common)
    own = [fault for fault in faults if fault not in common.pages and fault not in common.made_so]
    if not own:
        return None  # reported only once, at another address
    if (len(own) == 1 and own[0] in _STYLE) or repeats_another(page, site):
        return None
    named = _named(page.url, own)
    if named == ["a double slash"]:
        return Finding(
            "The address has a double slash, probably from a wrong link. Correct the links to it, and let the address "
            "redirect to the one with a single slash.",
            {"faults": named, "characters": len(page.url)},
        )
    return Finding(
        f"The address has {listed(named)}; short lower-case words joined by hyphens are easier to read and to share. "
        "Change it only together with a redirect from the old one.",
        {"faults": named, "characters": len(page.url)},
    )


def _habit(url: str, faults: Collection[Fault], common: Habits) -> Finding:
    shared = listed([f"{count:,} have {fault}" for fault, count in common.pages.items()])
    names = " Names that addresses repeat from their page's title do not count." if common.named else ""
    return Finding(
        f"Of {common.of:,} addresses that search may show, {shared}.{names} Give new pages short lower-case addresses "
        "with hyphens. Keep the existing addresses: a working address is worth more than a pretty one.",
        {
            "faults": _named(url, faults),
            "characters": len(url),
            "shared": [{"fault": fault, "pages": count} for fault, count in common.pages.items()],
            "of": common.of,
        },
    )


def _named(url: str, faults: Collection[Fault]) -> list[str]:
    """Return the faults in words, with their numbers."""
    numbers = {
        "a long path": f"a path of {len(path_of(url))} characters",
        "many parameters": f"{parameters_of(url)} parameters",
    }
    return [numbers.get(fault, fault) for fault in faults]


RULE = Rule(
    id="SEO-ONP-024",
    title="URL hard to read",
    category="ONP",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=2,
    effort="high",
    writable_field=None,
    what=f"The path has spaces, a double slash, more than {LONGEST_PATH} characters, or both underscores and "
    f"upper-case letters. Or the address has {spelled(MOST_PARAMETERS)} or more parameters.",
    why="People read addresses before they click or share them, and mistype irregular ones. On most servers, upper "
    "and lower case make two addresses.",
    fix="Give new pages short lower-case addresses with hyphens. Change an existing address only if it is worth the "
    "effort, and only with a permanent redirect. Correct the links that contain a double slash.",
    not_when="The following addresses and characters are accepted:\n"
    "- Addresses whose page names another address as canonical.\n"
    "- Letters beyond ASCII. Each counts as one letter, not as its %XX codes.\n"
    "- Underscores alone, or upper-case letters alone, unless many addresses have them.\n"
    "- A name that the address repeats letter for letter from the title or the main heading (LinkedHashMap, "
    "str_replace). Before the name may stand its kind (macro.str_replace), and after it the section of a manual "
    "(str_replace.3) or an index file. The names of folders in the path are accepted in the same way. Underscores may "
    "stand for the spaces of the title.\n"
    "- Words in capitals that are also in capitals in the title (SNMP).\n"
    "- Addresses of pages made by a tool that documents program code, such as Doxygen or LDoc. The tool names the "
    "files.\n"
    "- Addresses of pages that repeat another page word for word (SEO-CON-002).\n"
    f"- Names of {spelled(HABIT_PAGES)} or more pages that begin with the same acronym and have no other capitals "
    "(APIchunk3).\n"
    "- An underscore before or after a name, because it joins no words.\n"
    "- Traditional names of documents that come with software (INSTALL, BUILD_README.html).\n\n"
    "Faults that many addresses share are treated differently:\n"
    f"- A fault of more than {HABIT_SHARE:.0%} of the addresses, and of at least {spelled(HABIT_PAGES)} addresses, is "
    "reported once for the website, at one of them.\n"
    f"- A fault of more than {part(MADE_SO)} of the addresses is not reported, because the website's software causes "
    "it.\n"
    "- If only one folder's name has underscores, or only upper-case letters, the addresses in it are not reported.",
    source="Search engines' documentation on URL structure: readable words, hyphens. This service set the limit of "
    f"{LONGEST_PATH} characters.",
    page_check=check,
)
