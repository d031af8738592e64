"""Exports of a website: its lists as the API returns them, written into one zip file."""
