"""The Model Context Protocol: tools for assistants, built on the API's endpoints and keys."""
