"""Changes that a person approved: which may be written, the state of each, and whether the live page shows it."""
