"""``python -m bench.sampling``: one sampling of 50 prompts and 4 assistants, against the least time it can take.

Every stand-in answers after the same delay, and four questions are asked at once: nothing is quicker than answers x
delay / 4. What comes on top is the service: two writes for each question, reading the answers, packing the week.
"""

import os
import time

from bench.measure import Meter

PROMPTS = int(os.environ.get("BENCH_PROMPTS", "50"))
DELAY = float(os.environ.get("BENCH_DELAY", "0.5"))  # seconds; real assistants take ten times that
MOST = 1.5  # times the least


def main() -> int:
    import pytest

    from chalicelib import clock
    from chalicelib.workers import sampling
    from local import embedded
    from local.standins.assistants import Assistants
    from tests import aws
    from tests.visibility import sampled

    standin = Assistants()
    with embedded.running(), pytest.MonkeyPatch.context() as patch, sampled(patch, standin) as house:
        house.add(*(f"Which of {number} is best?" for number in range(PROMPTS)))
        standin.delay = DELAY
        clock.set_offset(clock.offset() + house.job().due_at - clock.now() + 1)
        meter, began = Meter(), time.perf_counter()
        with aws.counted_calls() as calls:
            house.work()
            house.until_done()
        took, cost = time.perf_counter() - began, meter.cost(1)
        week = house.week()
        assert week is not None and len(week.answers) == 4 * PROMPTS
    standin.stop()
    answers = len(week.answers)
    least = answers * DELAY / sampling.AT_ONCE
    print(f"{'what':<58}{'answers':>9}{'seconds':>9}{'x least':>9}{'CPU s':>8}{'store calls':>13}")
    print(f"{f'answers x {DELAY:g} s / {sampling.AT_ONCE}':<58}{answers:>9}{least:>9.1f}{1:>9.2f}")
    print(
        f"{'this service, CPU of stand-ins and embedded store included':<58}{answers:>9}{took:>9.1f}"
        f"{took / least:>9.2f}{cost.cpu:>8.1f}{sum(calls.values()) / answers:>13.1f}"
    )
    print(f"at most {MOST} times the least: {'met' if took <= MOST * least else 'MISSED'}")
    return 0 if took <= MOST * least else 1


if __name__ == "__main__":
    raise SystemExit(main())
