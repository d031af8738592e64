"""Website Optimization Service: the deployable package (see docs/decisions.md for the rooms)."""
