"""Benchmarks: what the service costs, beside what it is compared with. ``python -m bench`` prints one table."""
