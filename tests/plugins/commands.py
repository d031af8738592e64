"""Builds the commands of manage.py once. Typer builds all of them from their functions for every call."""

from functools import cache

import typer.main


def pytest_configure() -> None:
    """Keeps the commands of each application."""
    typer.main.get_command = cache(typer.main.get_command)
