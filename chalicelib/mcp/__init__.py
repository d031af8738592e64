"""The Model Context Protocol: what assistants call, over the API's endpoints and with its keys."""
