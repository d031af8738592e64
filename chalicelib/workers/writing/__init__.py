"""Writing approved changes: sending them, looking at the live pages, ending their batch."""
