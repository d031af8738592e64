"""``python -m host`` with its clock ahead by SOAK_SECONDS_AHEAD: tries that are hours away are not awaited."""

import os

from chalicelib import clock
from host.__main__ import run

if __name__ == "__main__":
    clock.set_offset(float(os.environ.get("SOAK_SECONDS_AHEAD", "0")))
    run()
