"""Writing approved changes: sending them, checking the live pages, ending their batch."""
