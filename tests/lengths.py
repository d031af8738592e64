"""How long property tests and state machines run: quick in ``make test``, at full length in ``make test-deep``.

Quick runs try the same examples each time, so that a change is blamed for what it did. Deep ones try those of a seed
(``make test-deep SEED=2``): what they find is printed with the line that repeats it.
"""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.conjecture.providers import Constants, HypothesisProvider

QUICK_EXAMPLES, DEEP_EXAMPLES = 30, 1_000
DEEP_FACTOR = 10  # of tests with a number of their own
FEW = 20  # a quick run halves numbers from this one on: what they find beyond that, deep runs find too

# No deadline an example, and no complaint of slow ones: both go by the wall clock, which a busy machine stretches.
CALM: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

# Hypothesis also draws the constants of whatever modules are loaded: a seed would then try other examples after each
# change of any line, and in each order of the tests, and a change would be blamed for what stood before it.
# They are not even read: each process of a run would spend two seconds on it.
HypothesisProvider._local_constants = Constants()
providers._get_local_constants = Constants

settings.register_profile("quick", max_examples=QUICK_EXAMPLES, derandomize=True, **CALM)
settings.register_profile("deep", max_examples=DEEP_EXAMPLES, print_blob=True, **CALM)
settings.load_profile("quick")


def examples(usual: int) -> int:
    """``max_examples`` of a test that is too slow, or too valuable, for the profile's own number."""
    if not is_quick():
        return usual * DEEP_FACTOR
    return usual if usual < FEW else usual // 2


def is_quick() -> bool:
    """Whether this is a run of ``make test``."""
    return settings.get_current_profile_name() != "deep"
