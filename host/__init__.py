"""The service as a plain process, without Lambda: the API over HTTP, and the queue consumers and schedules of
app.py."""
