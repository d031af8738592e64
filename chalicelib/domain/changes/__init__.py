"""Changes that a person approved: whether they may be written, their state, and whether the live page shows them."""
