"""Runs ``python -m host`` with its clock ahead by SOAK_SECONDS_AHEAD, so that a soak need not wait hours for retries.

SOAK_AUDITS_AT sets the time of the week at which weekly work is due. Otherwise moving the clock might start this work.
"""

import os

from bench.week import place_week
from chalicelib import clock
from host.__main__ import run

if __name__ == "__main__":
    clock.set_offset(float(os.environ.get("SOAK_SECONDS_AHEAD", "0")))
    place_week(int(os.environ["SOAK_AUDITS_AT"]))
    run()
