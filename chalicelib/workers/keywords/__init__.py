"""Keyword tasks: what is known of a website's pages and searches, and what becomes of what is judged by it."""
