"""``python -m host`` with its clock ahead by SOAK_SECONDS_AHEAD: tries that are hours away are not awaited. What
is due weekly has the place in the week that SOAK_AUDITS_AT names: on some days it would begin while the clock moves."""

import os

from bench.week import place_week
from chalicelib import clock
from host.__main__ import run

if __name__ == "__main__":
    clock.set_offset(float(os.environ.get("SOAK_SECONDS_AHEAD", "0")))
    place_week(int(os.environ["SOAK_AUDITS_AT"]))
    run()
