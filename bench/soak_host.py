"""Runs ``python -m host`` with its clock ahead by SOAK_SECONDS_AHEAD, so that a soak need not wait hours for retries.

Weekly work is due at the time of the week in SOAK_AUDITS_AT. Otherwise it might begin while the clock is moved.
"""

import os

from bench.week import place_week
from chalicelib import clock
from host.__main__ import run

if __name__ == "__main__":
    clock.set_offset(float(os.environ.get("SOAK_SECONDS_AHEAD", "0")))
    place_week(int(os.environ["SOAK_AUDITS_AT"]))
    run()
