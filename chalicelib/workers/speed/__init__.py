"""Speed tests: re-runs, weekly tests, and tests that a recheck waits for."""
