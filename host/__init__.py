"""The service as a plain process, without Lambda. It serves the API over HTTP, and runs the queue consumers and
schedules of app.py."""
