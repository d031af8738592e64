"""Changes that a person approved. The modules decide which changes may be written, keep the state of each, and check
whether the live page shows it."""
