"""Speed tests: re-runs, those of every week, and those that a recheck waits for."""
