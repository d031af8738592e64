"""Checks the tables, queues, key, bucket and alarm topic of a deployment: whether they exist and are set up correctly.

It reads how the tables, queues, bucket and topic are set up, but no stored data. To test the key, it encrypts and
decrypts a word.
"""

import email.utils
from typing import Any, Final

from botocore.exceptions import ClientError

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import client, keys, secrets
from chalicelib.store.dead_letters import DEAD
from chalicelib.store.queues import Queue, attributes_of
from chalicelib.store.secrets import Secret

TTL: Final = "ttl"  # the attribute with the expiry time of a row
_MISSING: Final = {
    *("ResourceNotFoundException", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"),
    *("404", "NoSuchBucket", "NotFound"),
}
_FORGETS_NOTHING: Final = "NoSuchLifecycleConfiguration"


def table_faults(table: str) -> list[str]:
    """Return the problems of a table and its indexes; empty if there are none. Raises botocore's errors."""
    dynamodb, name = client.dynamodb(), keys.table_name(table)
    try:
        found: dict[str, Any] = dynamodb.describe_table(TableName=name)["Table"]  # type: ignore[assignment]
    except ClientError as error:
        if is_missing(error):
            return [f"the table {name} is missing"]
        raise
    faults = [] if found["TableStatus"] in ("ACTIVE", "UPDATING") else [f"{name} is {found['TableStatus']}"]
    indexes = {index["IndexName"]: index for index in found.get("GlobalSecondaryIndexes", [])}
    for index, declared in keys.INDEXES.items():
        if declared.table != table:
            continue
        if index not in indexes:
            faults.append(f"{name} has no index {index}")
        elif [part["AttributeName"] for part in indexes[index]["KeySchema"]] != [declared.partition, declared.sort]:
            faults.append(f"the index {index} of {name} has different keys")
        elif indexes[index].get("IndexStatus", "ACTIVE") not in ("ACTIVE", "UPDATING"):
            faults.append(f"the index {index} of {name} is {indexes[index]['IndexStatus']}")
    ends = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    if ends.get("TimeToLiveStatus") not in ("ENABLED", "ENABLING") or ends.get("AttributeName") != TTL:
        faults.append(f"rows of {name} never expire: its time to live is not switched on for {TTL}")
    return faults


def queue_faults(queue: Queue) -> list[str]:
    """Return the problems of a queue and its dead-letter queue, including dead messages; empty if there are none.
    Raises botocore's errors."""
    name = core_settings().queue_prefix + queue
    attributes, dead = _attributes(queue), _attributes(queue + DEAD)
    faults = [f"the queue {one} is missing" for one, has in ((name, attributes), (name + DEAD, dead)) if has is None]
    if attributes is not None and "RedrivePolicy" not in attributes:
        faults.append(f"{name} has no redrive policy, so it never gives up a message")
    given_up = 0 if dead is None else int(dead["ApproximateNumberOfMessages"])
    if given_up:
        faults.append(f"{given_up} messages of {name} were given up")
    return faults


def queue_is_missing(queue: str) -> bool:
    """Whether there is no such queue. Raises botocore's errors."""
    return _attributes(queue) is None


def _attributes(queue: str) -> dict[str, str] | None:
    """Return the attributes of a queue. Returns None if there is no such queue."""
    try:
        return attributes_of(queue)
    except ClientError as error:
        if is_missing(error):
            return None
        raise


def bucket_faults() -> list[str]:
    """Return the problems of the bucket of large answers; empty if there are none. Raises botocore's errors."""
    s3, name = client.s3(), core_settings().exports_bucket
    if bucket_is_missing():
        return [f"the bucket {name} is missing"]
    try:
        rules = s3.get_bucket_lifecycle_configuration(Bucket=name)["Rules"]
    except ClientError as error:
        if code_of(error) != _FORGETS_NOTHING:
            raise
        rules = []
    forgets = any(rule["Status"] == "Enabled" and rule.get("Expiration", {}).get("Days") == 1 for rule in rules)
    return [] if forgets else [f"the bucket {name} does not delete objects after a day"]


def bucket_is_missing() -> bool:
    """Whether the bucket of large answers does not exist. Raises botocore's errors, also for a bucket of another
    account."""
    try:
        client.s3().head_bucket(Bucket=core_settings().exports_bucket)
    except ClientError as error:
        if is_missing(error):
            return True
        raise
    return False


def topic_faults(topic: str) -> list[str]:
    """Return the problems of the SNS topic for alarms; empty if there are none. A topic without subscribers is a
    problem. ``topic``: the ARN. Raises botocore's errors."""
    try:
        attributes = client.sns().get_topic_attributes(TopicArn=topic)["Attributes"]
    except ClientError as error:
        if is_missing(error):
            return [f"the topic {topic} is missing"]
        raise
    if int(attributes["SubscriptionsConfirmed"]):
        return []
    pending = int(attributes["SubscriptionsPending"])
    return [f"the topic {topic} has no confirmed subscription ({pending} pending), so nobody receives alarms"]


def code_of(error: Exception) -> str | None:
    """Return the code of an error that AWS answered, such as ``AccessDenied``. None for any other error."""
    code: str | None = error.response.get("Error", {}).get("Code") if isinstance(error, ClientError) else None
    return code


def is_missing(error: Exception) -> bool:
    """Whether an error says that the table, queue, bucket or topic does not exist."""
    return code_of(error) in _MISSING


def key_works() -> bool:
    """Whether a text that is encrypted with the key can be decrypted again. Raises ``AWS_ERRORS``."""
    word = Secret("doctor")
    return secrets.unseal(secrets.seal(word, check="doctor"), check="doctor").reveal() == word.reveal()


def clock_difference() -> float | None:
    """Return by how many seconds this machine's clock is ahead of DynamoDB's. Returns None when DynamoDB's answer has
    no date. Raises botocore's errors."""
    answer = client.dynamodb().list_tables(Limit=1)
    date = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    return None if date is None else clock.machine() - email.utils.parsedate_to_datetime(date).timestamp()
