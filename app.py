"""The Chalice app. It combines middleware, endpoint groups, queue consumers and schedules.

It also has the function ``reader``, which only the service itself calls.
"""

import gc
import sys
from typing import Any

from chalice.app import CloudWatchEvent, Cron, Rate, SQSEvent

from chalicelib import api
from chalicelib.http import edge, jobs
from chalicelib.http.app import ThreadedApp
from chalicelib.settings.core import core_settings

# A large list is thousands of objects, hardly any in a reference cycle. With Python's default threshold, the garbage
# collector would run a dozen times for one such answer: 8% of the CPU time of the largest.
gc.set_threshold(10_000, *gc.get_threshold()[1:])

app = ThreadedApp(app_name="website-optimization", configure_logs=False)
settings = core_settings()
rooms = []
try:
    groups = api.chosen(settings.endpoint_groups, settings.switched_off_groups)
except api.UnknownGroup as unknown:
    sys.exit(str(unknown))  # else a misspelt group would silently stay switched on
if api.serves("web", settings.endpoint_groups):
    from chalicelib.web import serving

    rooms.append(serving.room())
if api.serves("public", settings.endpoint_groups):
    from chalicelib.api import docs

    rooms.append(docs.ROOM)
if api.serves("mcp", settings.endpoint_groups):
    from chalicelib.mcp import room

    rooms.append(room.ROOM)
edge.serve(app, groups, rooms)


# ``queue_arn`` is a placeholder: infra/template.yaml replaces it with the ARN when the template is merged.
# ``maximum_concurrency`` must be the function's concurrency in infra/functions.py. If SQS may make more calls at once,
# Lambda throttles them, and messages go to the dead letters although nothing is wrong with them.
@app.on_sqs_message(queue_arn="CrawlQueueArn", name="crawl", batch_size=1, maximum_concurrency=100)
def crawl(event: SQSEvent) -> dict[str, Any]:
    """Run the next part (slice) of an audit for each message of the queue."""
    from chalicelib.workers.audit import crawl as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="CrawlSlowQueueArn", name="crawl_slow", batch_size=1, maximum_concurrency=30)
def crawl_slow(event: SQSEvent) -> dict[str, Any]:
    """Run the next part (slice) of an audit for each message of the slow queue. This queue is for websites that do not
    answer in time."""
    from chalicelib.workers.audit import crawl as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="RecheckQueueArn", name="recheck", batch_size=1, maximum_concurrency=50)
def recheck(event: SQSEvent) -> dict[str, Any]:
    """Recheck one issue for each message of the queue."""
    from chalicelib.workers.audit import recheck as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="RecheckSlowQueueArn", name="recheck_slow", batch_size=1, maximum_concurrency=15)
def recheck_slow(event: SQSEvent) -> dict[str, Any]:
    """Recheck one issue for each message of the slow queue, which is for websites that do not answer in time."""
    from chalicelib.workers.audit import recheck as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="WritesQueueArn", name="writes", batch_size=1, maximum_concurrency=15)
def writes(event: SQSEvent) -> dict[str, Any]:
    """Write one batch of approved changes for each message, until the function's time is up."""
    from chalicelib.workers import writes as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="WritesSlowQueueArn", name="writes_slow", batch_size=1, maximum_concurrency=5)
def writes_slow(event: SQSEvent) -> dict[str, Any]:
    """Write one batch for each message of the slow queue, which is for websites whose CMS does not answer in time."""
    from chalicelib.workers import writes as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="ImportsQueueArn", name="imports", batch_size=1, maximum_concurrency=20)
def imports(event: SQSEvent) -> dict[str, Any]:
    """Run one import job for each message: ask a website's connections for their status and data."""
    from chalicelib.workers import imports as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="ImportsSlowQueueArn", name="imports_slow", batch_size=1, maximum_concurrency=10)
def imports_slow(event: SQSEvent) -> dict[str, Any]:
    """Run one import job for each message of the slow queue, which is for connections that do not answer in time."""
    from chalicelib.workers import imports as worker

    return jobs.consume(event, worker.handle_slow)


# Few at once: all samplings ask with the same keys, and providers count requests by key.
@app.on_sqs_message(queue_arn="SamplingQueueArn", name="sampling", batch_size=1, maximum_concurrency=10)
def sampling(event: SQSEvent) -> dict[str, Any]:
    """Send one website's prompts to AI assistants for each message, until the function's time is up."""
    from chalicelib.workers import sampling as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="SamplingSlowQueueArn", name="sampling_slow", batch_size=1, maximum_concurrency=5)
def sampling_slow(event: SQSEvent) -> dict[str, Any]:
    """Send prompts for each message of the slow queue, which is for websites whose prompts are not answered in time."""
    from chalicelib.workers import sampling as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="AgenticQueueArn", name="agentic", batch_size=1, maximum_concurrency=10)
def agentic(event: SQSEvent) -> dict[str, Any]:
    """Run speed tests of one website's pages for each message, until the function's time is up."""
    from chalicelib.workers import agentic as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="AgenticSlowQueueArn", name="agentic_slow", batch_size=1, maximum_concurrency=5)
def agentic_slow(event: SQSEvent) -> dict[str, Any]:
    """Run speed tests for each message of the slow queue, which is for websites whose pages take long to test."""
    from chalicelib.workers import agentic as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="ExportsQueueArn", name="exports", batch_size=1, maximum_concurrency=5)
def exports(event: SQSEvent) -> dict[str, Any]:
    """Run one export for each message of the queue: write all data of one website to files."""
    from chalicelib.exports import worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="OutboxQueueArn", name="outbox", batch_size=1, maximum_concurrency=20)
def outbox(event: SQSEvent) -> dict[str, Any]:
    """Queue webhook deliveries for each message. A message names one change, whose events go to all subscribed
    endpoints."""
    from chalicelib.workers.delivery import outbox as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="DeliveriesQueueArn", name="deliveries", batch_size=1, maximum_concurrency=50)
def deliveries(event: SQSEvent) -> dict[str, Any]:
    """Try one webhook delivery once for each message of the queue."""
    from chalicelib.workers.delivery import deliveries as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(
    queue_arn="DeliveriesFailingQueueArn", name="deliveries_failing", batch_size=1, maximum_concurrency=10
)
def deliveries_failing(event: SQSEvent) -> dict[str, Any]:
    """Try one delivery to an endpoint that keeps failing.

    These deliveries have their own queue, so that they do not delay deliveries to other endpoints.
    """
    from chalicelib.workers.delivery import deliveries as worker

    return jobs.consume(event, worker.handle_failing)


@app.lambda_function(name="reader")
def reader(event: dict[str, Any], context: Any) -> Any:
    """Read a page or file of a website back after a write.

    The worker ``writes`` calls this function and waits for the answer.
    """
    from chalicelib.workers import reader as worker

    return jobs.answer("reader", lambda: worker.handle(event))


@app.schedule(Rate(1, unit=Rate.MINUTES), name="sweeper")
def sweeper(event: CloudWatchEvent) -> None:
    """Run every minute: send again the queue messages that were lost."""
    from chalicelib.workers import sweeper as worker

    jobs.run("sweeper", event, worker.run)


@app.schedule(Rate(1, unit=Rate.MINUTES), name="notices")
def notices(event: CloudWatchEvent) -> None:
    """Run every minute: mail notices to people and monthly reports to clients when they are due."""
    from chalicelib.workers import notices as worker

    jobs.run("notices", event, worker.run)


@app.schedule(Cron("0", "2", "?", "*", "SUN", "*"), name="weekly")
def weekly(event: CloudWatchEvent) -> None:
    """Start the weekly audits: Sundays 02:00 UTC."""
    from chalicelib.workers import weekly as worker

    jobs.run("weekly", event, worker.run)
