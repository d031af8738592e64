"""The app in a real Chromium, against the service that `make run` starts."""
