"""Changes that a person approved: which may be written, how far each has got, and whether the live page shows it."""
