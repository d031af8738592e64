"""Composition only: the Chalice app, its middleware, the endpoint groups, the consumers, the schedules, and what is
called by the service itself."""

import gc
import sys
from typing import Any

from chalice.app import CloudWatchEvent, Cron, Rate, SQSEvent

from chalicelib import api
from chalicelib.http import edge, jobs
from chalicelib.http.app import ThreadedApp
from chalicelib.settings.core import core_settings

# The answer of a large list is thousands of objects, hardly any in a cycle. Python would collect a dozen times for it,
# which is 8% of the processor time of the largest.
gc.set_threshold(10_000, *gc.get_threshold()[1:])

app = ThreadedApp(app_name="website-optimization", configure_logs=False)
settings = core_settings()
rooms = []
try:
    groups = api.chosen(settings.endpoint_groups, settings.switched_off_groups)
except api.UnknownGroup as unknown:
    sys.exit(str(unknown))  # one plain line: a misspelt switch must not pass for one that is off
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


# The queue's name stands for its ARN: infra/template.yaml puts the ARN in its place when the template is merged.
# ``maximum_concurrency`` is the function's concurrency in infra/functions.py. If SQS may call more at once, messages
# are throttled, and given up without a fault of theirs.
@app.on_sqs_message(queue_arn="CrawlQueueArn", name="crawl", batch_size=1, maximum_concurrency=100)
def crawl(event: SQSEvent) -> dict[str, Any]:
    """One slice of an audit for each message."""
    from chalicelib.workers.audit import crawl as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="CrawlSlowQueueArn", name="crawl_slow", batch_size=1, maximum_concurrency=30)
def crawl_slow(event: SQSEvent) -> dict[str, Any]:
    """The same for websites that do not answer in time."""
    from chalicelib.workers.audit import crawl as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="RecheckQueueArn", name="recheck", batch_size=1, maximum_concurrency=50)
def recheck(event: SQSEvent) -> dict[str, Any]:
    """One recheck of an issue for each message."""
    from chalicelib.workers.audit import recheck as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="RecheckSlowQueueArn", name="recheck_slow", batch_size=1, maximum_concurrency=15)
def recheck_slow(event: SQSEvent) -> dict[str, Any]:
    """The same for websites that do not answer in time."""
    from chalicelib.workers.audit import recheck as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="WritesQueueArn", name="writes", batch_size=1, maximum_concurrency=15)
def writes(event: SQSEvent) -> dict[str, Any]:
    """One batch of approved changes for each message, until the time is up."""
    from chalicelib.workers import writes as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="WritesSlowQueueArn", name="writes_slow", batch_size=1, maximum_concurrency=5)
def writes_slow(event: SQSEvent) -> dict[str, Any]:
    """The same for websites whose CMS does not answer in time."""
    from chalicelib.workers import writes as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="ImportsQueueArn", name="imports", batch_size=1, maximum_concurrency=20)
def imports(event: SQSEvent) -> dict[str, Any]:
    """What a website is connected to, asked again, for each message."""
    from chalicelib.workers import imports as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="ImportsSlowQueueArn", name="imports_slow", batch_size=1, maximum_concurrency=10)
def imports_slow(event: SQSEvent) -> dict[str, Any]:
    """The same for websites whose connections do not answer in time."""
    from chalicelib.workers import imports as worker

    return jobs.consume(event, worker.handle_slow)


# Few at once: all samplings ask with the same keys, and providers count requests by key.
@app.on_sqs_message(queue_arn="SamplingQueueArn", name="sampling", batch_size=1, maximum_concurrency=10)
def sampling(event: SQSEvent) -> dict[str, Any]:
    """The prompts of one website, asked of AI assistants, for each message, until the time is up."""
    from chalicelib.workers import sampling as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="SamplingSlowQueueArn", name="sampling_slow", batch_size=1, maximum_concurrency=5)
def sampling_slow(event: SQSEvent) -> dict[str, Any]:
    """The same for websites whose samplings are not answered in time."""
    from chalicelib.workers import sampling as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="AgenticQueueArn", name="agentic", batch_size=1, maximum_concurrency=10)
def agentic(event: SQSEvent) -> dict[str, Any]:
    """Speed tests of a website's pages for each message, until the time is up."""
    from chalicelib.workers import agentic as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="AgenticSlowQueueArn", name="agentic_slow", batch_size=1, maximum_concurrency=5)
def agentic_slow(event: SQSEvent) -> dict[str, Any]:
    """The same for websites whose pages take long to test."""
    from chalicelib.workers import agentic as worker

    return jobs.consume(event, worker.handle_slow)


@app.on_sqs_message(queue_arn="ExportsQueueArn", name="exports", batch_size=1, maximum_concurrency=5)
def exports(event: SQSEvent) -> dict[str, Any]:
    """Everything of one website as files, for each message."""
    from chalicelib.exports import worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="OutboxQueueArn", name="outbox", batch_size=1, maximum_concurrency=20)
def outbox(event: SQSEvent) -> dict[str, Any]:
    """The events of one committed change, for each message, to the endpoints that ticked them."""
    from chalicelib.workers.delivery import outbox as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(queue_arn="DeliveriesQueueArn", name="deliveries", batch_size=1, maximum_concurrency=50)
def deliveries(event: SQSEvent) -> dict[str, Any]:
    """One try of one webhook delivery for each message."""
    from chalicelib.workers.delivery import deliveries as worker

    return jobs.consume(event, worker.handle)


@app.on_sqs_message(
    queue_arn="DeliveriesFailingQueueArn", name="deliveries_failing", batch_size=1, maximum_concurrency=10
)
def deliveries_failing(event: SQSEvent) -> dict[str, Any]:
    """The same for endpoints that keep failing, which hold up nobody else here."""
    from chalicelib.workers.delivery import deliveries as worker

    return jobs.consume(event, worker.handle_failing)


@app.lambda_function(name="reader")
def reader(event: dict[str, Any], context: Any) -> Any:
    """One page or file of a website, read back for each call of ``writes``."""
    from chalicelib.workers import reader as worker

    return jobs.answer("reader", lambda: worker.handle(event))


@app.schedule(Rate(1, unit=Rate.MINUTES), name="sweeper")
def sweeper(event: CloudWatchEvent) -> None:
    """Sends again what was lost, every minute."""
    from chalicelib.workers import sweeper as worker

    jobs.run("sweeper", event, worker.run)


@app.schedule(Rate(1, unit=Rate.MINUTES), name="notices")
def notices(event: CloudWatchEvent) -> None:
    """Mails notices to people, and monthly reports to clients, whose next mail is due, every minute."""
    from chalicelib.workers import notices as worker

    jobs.run("notices", event, worker.run)


@app.schedule(Cron("0", "2", "?", "*", "SUN", "*"), name="weekly")
def weekly(event: CloudWatchEvent) -> None:
    """Starts the weekly audits: Sundays 02:00 UTC."""
    from chalicelib.workers import weekly as worker

    jobs.run("weekly", event, worker.run)
