"""Exports of a website: its lists as the API answers them, written into one zip file."""
