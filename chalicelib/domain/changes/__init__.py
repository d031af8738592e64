"""Changes that a person approved: which may be written, their states, and whether the live page shows them."""
