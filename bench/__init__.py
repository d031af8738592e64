"""Benchmarks: they measure the cost of the service and compare it with that of other programs. ``python -m bench``
prints the tables."""
