"""Websites nobody here wrote: every countable rule finds what is there, and nothing else.

All of them by ``make test-real``; with ``REAL_SET=small`` the small set with small page budgets, as CI runs it.
"""

import os
from statistics import median, quantiles

import pytest

from tests.real import parts
from tests.real.comparing import Comparison, compared
from tests.real.counted.font import PACKAGE as FONT
from tests.real.told import tell
from tests.real.websites import WEBSITES

pytestmark = pytest.mark.real

SMALL = os.environ.get("REAL_SET") == "small"
LEAST_WEBSITES, LEAST_MAKES, LEAST_PAGES, LEAST_RULES = (10, 10, 600, 20) if SMALL else (14, 10, 3_000, 30)


@pytest.fixture(scope="module")
def comparison(request: pytest.FixtureRequest) -> Comparison:
    listed = [website for website in WEBSITES if website.small or not SMALL]
    # All at once, so that one missing package is told before anything is audited.
    parts.debian(FONT, *{package for website in listed for package in website.packages})
    found = compared([website.name for website in listed], small=SMALL)
    tell(request.config, f"{found.audits()}\n\n{found.table()}\n\n{found.differences()}")
    return found


def test_the_sample_has_enough_websites_systems_pages_and_rules(comparison: Comparison) -> None:
    makes = {website.make for website in WEBSITES if website.name in comparison.pages}
    occurring = [rule for rule, tally in comparison.tallies.items() if tally.websites]
    assert len(comparison.pages) >= LEAST_WEBSITES and len(makes) >= LEAST_MAKES
    assert min(comparison.pages.values()) > 1 and sum(comparison.pages.values()) >= LEAST_PAGES
    assert len(occurring) >= LEAST_RULES, occurring


def test_every_rule_found_on_real_websites_is_counted_or_listed_as_a_judgement(comparison: Comparison) -> None:
    assert comparison.unknown == set()


def test_every_countable_rule_reaches_the_required_precision_and_recall(comparison: Comparison) -> None:
    assert comparison.below() == []


def test_scores_of_real_websites_are_spread_out(comparison: Comparison) -> None:
    """Websites whose pages mostly point to another domain have a low score. The others are spread around the middle."""
    handed_over = {name for name, first in comparison.first.items() if first[0] == "SEO-TEC-034"}
    assert all(15 <= comparison.scores[name] <= 30 for name in handed_over), comparison.scores
    standing = [score for name, score in comparison.scores.items() if name not in handed_over]
    assert len(handed_over) <= 3 < len(standing)
    assert 58 <= median(standing) <= 68, comparison.scores
    tenths = quantiles(standing, n=10, method="inclusive")
    assert tenths[-1] - tenths[0] >= 13, comparison.scores
