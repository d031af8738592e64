"""Changes that a person approved: what may be written, how far each is, and whether the live page shows it."""
