"""Every table, index and partition of the store, and the sort keys that several modules use. No other module builds a
partition key.

All tables have a text partition key ``pk``, a text sort key ``sk`` and, if rows expire, a ``ttl`` (epoch seconds).

Functions that name one item return ``(pk, sk)``. Functions that name a partition or a prefix return text.
"""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from chalicelib.domain.ids import digest
from chalicelib.settings.core import core_settings

TABLES = ("accounts", "sites", "crawls", "pages", "issues", "changes", "search", "ai", "webhooks", "jobs", "ops")


class Index(NamedTuple):
    """An index of a table. It is sparse: only items that have both of its key attributes are in it."""

    table: str
    partition: str  # attribute of type S
    sort: str  # attribute of type N


INDEXES = {
    "due": Index("sites", "dueShard", "nextAuditAt"),
    "running": Index("crawls", "runShard", "leaseUntil"),
    "dueDeliveries": Index("webhooks", "dueShard", "nextTryAt"),
    "log": Index("webhooks", "logOf", "createdAt"),
    "overdueJobs": Index("jobs", "runShard", "leaseUntil"),
}

Key = tuple[str, str] | Mapping[str, str]  # (pk, sk), or a map of both

SHARDS = 16

META = "META"


def table_name(table: str) -> str:
    """Return the name of a table of this deployment."""
    return core_settings().table_prefix + table


def attributes(key: Key) -> dict[str, str]:
    """Return the attributes ``pk`` and ``sk`` of a key."""
    if isinstance(key, Mapping):
        return {"pk": key["pk"], "sk": key["sk"]}
    pk, sk = key
    return {"pk": pk, "sk": sk}


def after_prefix(key: str) -> str:
    """Return the part of a partition or sort key of the form ``PREFIX#id`` after the first ``#``."""
    return key.partition("#")[2]


def last_part(key: str) -> str:
    """Return the part of a key after its last ``#``."""
    return key.rpartition("#")[2]


def shard(identifier: str) -> str:
    """Return the shard of a time-ordered index (``00`` to ``15``) for an object, by the hash of its id."""
    return f"{int.from_bytes(hashlib.sha256(identifier.encode()).digest()[:4], 'big') % SHARDS:02d}"


def shards() -> list[str]:
    """Return all shards of a time-ordered index."""
    return [f"{number:02d}" for number in range(SHARDS)]


# accounts
WORKSPACES = "WORKSPACES"
PERSON_PREFIX = "PERSON#"
KEY_PREFIX = "KEY#"
ASSISTANT_PREFIX = "ASSISTANT#"


def workspace_partition(workspace_id: str) -> str:
    return f"WS#{workspace_id}"


def workspace(workspace_id: str) -> tuple[str, str]:
    return workspace_partition(workspace_id), META


def workspace_listing(workspace_id: str) -> tuple[str, str]:
    """Return the key of the workspace's row in the operator's list of workspaces."""
    return WORKSPACES, f"WS#{workspace_id}"


def person(workspace_id: str, person_id: str) -> tuple[str, str]:
    return workspace_partition(workspace_id), f"{PERSON_PREFIX}{person_id}"


def email(workspace_id: str, address: str) -> tuple[str, str]:
    """Return the key of the row that makes an e-mail address unique in its workspace."""
    return workspace_partition(workspace_id), f"EMAIL#{address.casefold()}"


def listed_key(workspace_id: str, key_id: str) -> tuple[str, str]:
    """Return the row key of an API key's entry in the list of its workspace."""
    return workspace_partition(workspace_id), f"{KEY_PREFIX}{key_id}"


def assistant_key(workspace_id: str, provider: str) -> tuple[str, str]:
    """Return the row key of a workspace's own key for an AI assistant."""
    return workspace_partition(workspace_id), f"{ASSISTANT_PREFIX}{provider}"


ACT_PREFIX = "ACT#"


def acts_partition(workspace_id: str) -> str:
    """Return the partition with the activity log of a workspace."""
    return f"ACTS#{workspace_id}"


def act(workspace_id: str, act_id: str) -> tuple[str, str]:
    """Return the key of one act in the activity log; ids order by time."""
    return acts_partition(workspace_id), f"{ACT_PREFIX}{act_id}"


def key_id(identifier: str) -> tuple[str, str]:
    """Return the key of the row that maps an API key's id to its workspace."""
    return f"KEYID#{identifier}", META


def key_secret(sha256: str) -> tuple[str, str]:
    """Return the key of the row that authenticates requests with an API key, by the key's hash."""
    return f"KEY#{sha256}", META


WORKSPACE_PREFIX = "WS#"
SESSION_PREFIX = "SESSION#"


def address_partition(address: str) -> str:
    """Return the partition of an e-mail address, across workspaces: its workspaces and its sessions."""
    return f"ADDRESS#{address.casefold()}"


def workspace_of_address(address: str, workspace_id: str) -> tuple[str, str]:
    """Return the key of the row that lists a workspace under an e-mail address."""
    return address_partition(address), f"{WORKSPACE_PREFIX}{workspace_id}"


def session_of_address(address: str, sha256: str) -> tuple[str, str]:
    """Return the key of the row that lists a session under its e-mail address."""
    return address_partition(address), f"{SESSION_PREFIX}{sha256}"


def session(sha256: str) -> tuple[str, str]:
    """Return the key of the session's row, for requests of a signed-in person."""
    return f"{SESSION_PREFIX}{sha256}", META


def sign_in_link(sha256: str) -> tuple[str, str]:
    return f"LINK#{sha256}", META


# sites
SITE_PREFIX = "SITE#"
NAME_PREFIX = "NAME#"


def website(workspace_id: str, site_id: str) -> tuple[str, str]:
    return workspace_partition(workspace_id), f"{SITE_PREFIX}{site_id}"


def website_name(workspace_id: str, name: str, site_id: str) -> tuple[str, str]:
    """Return the key of the row that lists a website by name. The sort key has the name in lower case and the id, which
    distinguishes equal names."""
    return workspace_partition(workspace_id), f"{NAME_PREFIX}{name.casefold()}#{site_id}"


def website_owner(site_id: str) -> tuple[str, str]:
    """Return the key of the row that maps a website's id to its workspace."""
    return f"SITE#{site_id}", "OWNER"


CONNECTION_PREFIXES = {"connected": "CONN#", "pairing": "PAIRING#", "granting": "GRANTING#"}


def connection(site_id: str, kind: str, state: str) -> tuple[str, str]:
    """Return the key of the credentials of a website's connection of this kind. ``state``: ``connected``, ``pairing``
    (a pairing is in progress) or ``granting`` (a grant is in progress)."""
    return site_partition(site_id), CONNECTION_PREFIXES[state] + kind


REPORT_PREFIX = "REPORT#"


def report(sha256: str) -> tuple[str, str]:
    """Return the key of the row by which a link to a report is found."""
    return f"{REPORT_PREFIX}{sha256}", META


def report_of_website(site_id: str, sha256: str) -> tuple[str, str]:
    """Return the key of the row that lists a link to a report under its website."""
    return site_partition(site_id), f"{REPORT_PREFIX}{sha256}"


def due_shard(site_id: str) -> str:
    """Return the partition of the index ``due`` for a website that has a next audit."""
    return f"DUE#{shard(site_id)}"


def due_shards() -> list[str]:
    """Return all partitions of the index ``due``."""
    return [f"DUE#{number}" for number in shards()]


# crawls, pages, issues
KEPT_SCORE_PREFIX = "SCORE#"
KEPT_RESCORE_PREFIX = "RESCORE#"


def site_partition(site_id: str) -> str:
    """Return a website's partition in the tables sites (for its connections), crawls (headers), issues, changes, ai and
    jobs."""
    return f"SITE#{site_id}"


def crawl_partition(crawl_id: str) -> str:
    """Return the partition with everything that a crawl has stored so far."""
    return f"CRAWL#{crawl_id}"


def asked_addresses(crawl_id: str) -> tuple[str, str]:
    """Return the key of the addresses that an alert (a crawl of addresses reported as changed) will read."""
    return crawl_partition(crawl_id), "ASKED"


def gathering_alert(site_id: str) -> tuple[str, str]:
    """Return the key of the row that names the website's waiting alert, to which further addresses are added."""
    return site_partition(site_id), "GATHERING"


def kept_partition(site_id: str) -> str:
    """Return the partition of the audits that are stored for comparisons, in the table crawls."""
    return f"SITE#{site_id}#KEPT"


def kept_score(site_id: str, audit_id: str) -> tuple[str, str]:
    """Return the key of the row with the score of an audit, for histories of scores."""
    return kept_partition(site_id), f"{KEPT_SCORE_PREFIX}{audit_id}"


def kept_rescore(site_id: str, crawl_id: str) -> tuple[str, str]:
    """Return the key of the row with the score after a crawl that was no audit (a recheck or an alert), for histories
    of scores."""
    return kept_partition(site_id), f"{KEPT_RESCORE_PREFIX}{crawl_id}"


def kept_header(site_id: str, audit_id: str) -> tuple[str, str]:
    return kept_partition(site_id), f"KEPTHEAD#{audit_id}"


def kept_difference(site_id: str, audit_id: str) -> tuple[str, str]:
    """Return the key of the stored comparison of an audit with the previous one (table crawls)."""
    return kept_partition(site_id), f"KEPTDIFF#{audit_id}"


def watched(site_id: str) -> tuple[str, str]:
    """Return the key of the last known state of the watched pages and of robots.txt. The next crawl is compared with
    it."""
    return kept_partition(site_id), "WATCHED"


def kept_preview(site_id: str, preview_id: str) -> tuple[str, str]:
    """Return the key of the stored result of a preview, except its pages (table crawls)."""
    return kept_partition(site_id), f"KEPTHEAD#PREVIEW#{preview_id}"


def last_preview(site_id: str) -> tuple[str, str]:
    """Return the key of the row that names the website's last preview, and the times of earlier starts (table
    crawls)."""
    return kept_partition(site_id), "LASTPREVIEW"


PREVIEW_ACCESS_PREFIX = "PREVIEWACCESS#"


def preview_access(site_id: str, preview_id: str) -> tuple[str, str]:
    """Return the key of the credentials that requests to a preview need, encrypted (table crawls)."""
    return kept_partition(site_id), f"{PREVIEW_ACCESS_PREFIX}{preview_id}"


def preview_urls(site_id: str, preview_id: str) -> tuple[str, str]:
    """Return the key of the row with the addresses of a preview that reads only certain addresses (table crawls)."""
    return kept_partition(site_id), f"PREVIEWURLS#{preview_id}"


def kept_pages(site_id: str, audit_id: str, number: int) -> tuple[str, str]:
    """Return the key of a block of an audit's stored pages. Pages are divided into blocks by the hash of their ids."""
    return kept_partition(site_id), f"KEPTPAGES#{audit_id}#{number:04d}"


def drafts(site_id: str) -> tuple[str, str]:
    """Return the key of an assistant's drafts for the website's pages (table issues)."""
    return site_partition(site_id), "DRAFTS"


def generation_partition(site_id: str, crawl_id: str) -> str:
    """Return the partition of the pages that one crawl published."""
    return f"SITE#{site_id}#GEN#{crawl_id}"


def content_partition(site_id: str) -> str:
    """Return the partition with the synced content of a website's CMS."""
    return f"SITE#{site_id}#CONTENT"


def published_content(site_id: str) -> tuple[str, str]:
    """Return the key of the list of published addresses."""
    return content_partition(site_id), "PUBLISHED"


def content_block(site_id: str, number: int) -> tuple[str, str]:
    return content_partition(site_id), f"BLOCK#{number:02d}"


def content_walk(site_id: str, walk: int, page: int | None = None) -> tuple[str, str]:
    """Return the key of the row in which a content import stored which items it found on one page of the CMS's list. If
    no page is given, return the prefix of the keys of all these rows."""
    return content_partition(site_id), f"WALK#{walk:015d}#{'' if page is None else f'{page:05d}'}"


# changes
BATCH_PREFIX = "BATCH#"


def change_place(site_id: str) -> tuple[str, str]:
    """Return the key of the website's queue of batches."""
    return site_partition(site_id), "PLACE"


def index_now(site_id: str) -> tuple[str, str]:
    """Return the key of the website's IndexNow state (the submission of its changes to search engines)."""
    return site_partition(site_id), "INDEXNOW"


def change_batch(site_id: str, batch_id: str) -> tuple[str, str]:
    return site_partition(site_id), f"{BATCH_PREFIX}{batch_id}"


def change_block(site_id: str, batch_id: str, number: int) -> tuple[str, str]:
    return site_partition(site_id), f"CH#{batch_id}#{number:04d}"


def change_prints(site_id: str, batch_id: str) -> tuple[str, str]:
    """Return the key of the row with the hashes of the values that a batch's changes will write."""
    return site_partition(site_id), f"PRINTS#{batch_id}"


def undo_prefix(batch_id: str) -> str:
    """Return the prefix of a batch's undo tokens (the data that the CMS needs to undo changes)."""
    return f"UNDO#{batch_id}#"


def undo_block(site_id: str, batch_id: str, first: int) -> tuple[str, str]:
    """Return the key of a block of undo tokens (the data that the CMS needs to undo changes). ``first``: the number of
    the change with which the block starts."""
    return site_partition(site_id), f"{undo_prefix(batch_id)}{first:04d}"


# ai
def readiness(site_id: str) -> tuple[str, str]:
    """Return the key of the last audit's findings about a website's readiness for assistants."""
    return site_partition(site_id), "READINESS"


def rendered_sample(site_id: str) -> tuple[str, str]:
    """Return the key of the pages that a browser rendered for the website's last audit."""
    return site_partition(site_id), "RENDERED"


def last_write(site_id: str, field: str) -> tuple[str, str]:
    """Return the key of the last approved change of llms.txt or of the rules for crawlers. ``field``: which of the two,
    ``llms_txt`` or ``ai_crawlers``.
    """
    return site_partition(site_id), f"WRITE#{field}"


# search
def search_partition(site_id: str, dataset: str) -> str:
    """Return the partition of a website's search data of one kind. ``dataset``: ``query`` or ``page`` for rows of web
    search, ``pairs`` for pairs of query and page, or ``totals``."""
    return f"SITE#{site_id}#{dataset if dataset in ('pairs', 'totals') else f'web#{dataset}'}"


MANIFEST = "MANIFEST"


def search_manifest(site_id: str, dataset: str) -> tuple[str, str]:
    """Return the key of the manifest (the list of the stored blocks) of one kind of search data."""
    return search_partition(site_id, dataset), MANIFEST


def search_block(site_id: str, dataset: str, name: str, token: str, number: int) -> tuple[str, str]:
    """Return the key of one block of search data. ``name``: its content. ``token``: a ULID, which shows when it was
    written.
    """
    return search_partition(site_id, dataset), f"{name}#{token}#{number:03d}"


def search_token(sk: str) -> str:
    """Return the token in a block's sort key; "" for the sort key of a manifest."""
    return sk.rsplit("#", 2)[-2] if "#" in sk else ""


def prompts(site_id: str) -> tuple[str, str]:
    """Return the key of all prompts of a website, in one item."""
    return site_partition(site_id), "PROMPTS"


def visibility_week(site_id: str, week: str, part: int) -> tuple[str, str]:
    """Return the key of a part of the evaluated answers of one week."""
    return site_partition(site_id), f"WEEK#{week}#{part:02d}"


def samples_partition(site_id: str) -> str:
    """Return the partition of the raw answers of assistants."""
    return f"SITE#{site_id}#SAMPLES"


def sample(site_id: str, week: str, prompt_id: str, provider: str) -> tuple[str, str]:
    return samples_partition(site_id), f"{week}#{prompt_id}#{provider}"


def drafts_of_day(workspace_id: str, day: str) -> tuple[str, str]:
    """Return the key of the row that counts the drafts of descriptions that a workspace requested on a day."""
    return workspace_partition(workspace_id), f"DRAFTS#{day}"


def answers_of_week(workspace_id: str, week: str) -> tuple[str, str]:
    """Return the key of the row that counts the answers that the samplings of a workspace requested in a week."""
    return workspace_partition(workspace_id), f"ANSWERS#{week}"


def speed_state(site_id: str) -> tuple[str, str]:
    """Return the key of the number of speed tests that the website used today, and of the tests that wait."""
    return site_partition(site_id), "SPEED"


def speed_results(site_id: str, number: int) -> tuple[str, str]:
    """Return the key of a block of the latest results of speed tests."""
    return site_partition(site_id), f"RESULTS#{number:02d}"


def field_data(site_id: str) -> tuple[str, str]:
    """Return the key of the field data of the website and its tested pages."""
    return site_partition(site_id), "FIELD"


# webhooks
def outbox_partition(outbox_shard: str) -> str:
    return f"OUTBOX#{outbox_shard}"


def outbox(outbox_shard: str, at: float, batch_id: str) -> tuple[str, str]:
    """Return the key of a batch of events. The sort key begins with the time in milliseconds."""
    return outbox_partition(outbox_shard), f"{int(at * 1000):015d}#{batch_id}"


def outbox_time(sk: str) -> float:
    """Return the time at which a batch of events was written (epoch seconds), from its sort key."""
    return int(sk.partition("#")[0]) / 1000


ENDPOINT_PREFIX = "END#"


def endpoint(workspace_id: str, endpoint_id: str) -> tuple[str, str]:
    """Return the key of a webhook endpoint, in the partition of its workspace."""
    return workspace_partition(workspace_id), f"{ENDPOINT_PREFIX}{endpoint_id}"


def endpoint_slots(endpoint_id: str) -> tuple[str, str]:
    """Return the key of the concurrency slots of an endpoint for deliveries."""
    return f"END#{endpoint_id}", "PLACES"


def delivery(delivery_id: str) -> tuple[str, str]:
    return f"DLV#{delivery_id}", META


def due_deliveries_shard(delivery_id: str) -> str:
    """Return the partition of the index ``dueDeliveries`` for a waiting delivery."""
    return f"DLV#{shard(delivery_id)}"


def due_deliveries_shards() -> list[str]:
    """Return all partitions of the index ``dueDeliveries``."""
    return [f"DLV#{number}" for number in shards()]


NOTICES_PREFIX = "NOTICES#"
SEEN_PREFIX = "SEEN#"
WAITING_PREFIX = "WAIT#"


def notices(workspace_id: str, person_id: str) -> tuple[str, str]:
    """Return the key of a person's choice of notices by mail. It is in the partition of the workspace."""
    return workspace_partition(workspace_id), f"{NOTICES_PREFIX}{person_id}"


def notices_partition(workspace_id: str, person_id: str) -> str:
    """Return the partition of a person's waiting notices, and the events that were reported to them."""
    return f"{NOTICES_PREFIX}{workspace_id}#{person_id}"


def waiting_notice(at: float, event_id: str) -> str:
    """Return the sort key of a waiting notice, ordered by the time when the notice was written (milliseconds)."""
    return f"{WAITING_PREFIX}{int(at * 1000):015d}#{event_id}"


def due_mails_shard(person_id: str) -> str:
    """Return the partition of the index ``dueDeliveries`` for a person with waiting notices."""
    return f"MAIL#{shard(person_id)}"


def due_mails_shards() -> list[str]:
    """Return all partitions of the index ``dueDeliveries`` for people with waiting notices."""
    return [f"MAIL#{number}" for number in shards()]


def bounced(email: str) -> tuple[str, str]:
    """Return the key of the row that records that mail to an address bounced."""
    return f"BOUNCED#{digest(email.casefold()).hex()}", "META"


def no_bounce(email: str) -> tuple[str, str]:
    """Return the key of the row that records that SES recently knew of no bounce of an address."""
    return bounced(email)[0], "CHECKED"


RECIPIENT_PREFIX = "RECIPIENT#"
DUE_REPORTS = "REPORTS"  # the partition of the index ``dueDeliveries`` with monthly reports: few writes, so no shards


def recipient(site_id: str, key: str) -> tuple[str, str]:
    """Return the key of an address that receives the monthly report of a website."""
    return site_partition(site_id), f"{RECIPIENT_PREFIX}{key}"


# jobs
JOB_PREFIX = "JOB#"


def job(site_id: str, job_id: str) -> tuple[str, str]:
    """Return the key of a job of a website. For a recurring kind of job there is one job, whose id is the name of the
    kind."""
    return site_partition(site_id), f"{JOB_PREFIX}{job_id}"


def last_export(site_id: str) -> tuple[str, str]:
    """Return the key of the row that names the job of a website's last export."""
    return site_partition(site_id), "EXPORT"


def workspace_slots(workspace_id: str, lane: str) -> tuple[str, str]:
    """Return the key of a workspace's concurrency slots in a queue, in the table of the queue's jobs or crawls."""
    return workspace_partition(workspace_id), f"SLOTS#{lane}"


def slow_website(site_id: str, queue: str) -> tuple[str, str]:
    """Return the key of the row that records for which kinds of a queue's work a website is slow, in the table of the
    queue's jobs or crawls.
    """
    return site_partition(site_id), f"SLOW#{queue}"


def job_shard(site_id: str, job_id: str) -> str:
    """Return the partition of the index ``overdueJobs`` for an unfinished job."""
    return f"JOB#{shard(site_id + job_id)}"


def job_shards() -> list[str]:
    """Return all partitions of the index ``overdueJobs``."""
    return [f"JOB#{number}" for number in shards()]


# ops
def links_asked(kind: str, who: str, hour: int) -> tuple[str, str]:
    """Return the key of the row that counts the links of an hour. ``kind`` and ``who``: as in ``sessions.count_link``.
    The key does not reveal ``who``."""
    return f"LINKS#{digest(kind, who.casefold(), str(hour)).hex()}", META


def schedule(name: str) -> tuple[str, str]:
    """Return the key of the row with the last firing of a schedule that several processes could fire."""
    return f"SCHEDULE#{name}", META


def pace(name: str) -> tuple[str, str]:
    """Return the key of the row with the time from which workers may call an outside service again."""
    return f"PACE#{name}", META


READING = "READING"
READ_DRAFT_PREFIX = "DRAFT#"


def reading() -> tuple[str, str]:
    """Return the key of the row with the operator's review of an assistant's drafts."""
    return READING, META


def read_draft(number: int) -> tuple[str, str]:
    """Return the key of a draft in the review."""
    return READING, f"{READ_DRAFT_PREFIX}{number:03d}"


def public_address() -> tuple[str, str]:
    """Return the key of the public address of this deployment."""
    return "PUBLIC", META


def ownership() -> tuple[str, str]:
    """Return the key of the row that names the deployment that owns the store."""
    return "STACK", META


def migration() -> tuple[str, str]:
    """Return the key of the progress of the migration of stored rows."""
    return "MIGRATION", META


def reencryption() -> tuple[str, str]:
    """Return the key of the progress of the re-encryption of every secret."""
    return "REENCRYPTION", META


def search_result(question: str) -> tuple[str, str]:
    """Return the key of the header of the cached answer to a question about search data."""
    return f"ROWS#{question}", META


def search_result_block(question: str, number: int) -> tuple[str, str]:
    """Return the key of a block of the cached answer to a question about search data."""
    return f"ROWS#{question}", f"BLOCK#{number:05d}"


def kept_topics(question: str) -> tuple[str, str]:
    """Return the key of the header of cached topics for a question about a website."""
    return f"TOPICS#{question}", META


def kept_topics_block(question: str, token: str, number: int) -> tuple[str, str]:
    """Return the key of a block of cached topics. ``token``: shared by all blocks that were written together."""
    return f"TOPICS#{question}", f"TOPICS#{token}#{number:03d}"


def topics_partition(site_id: str) -> str:
    """Return the partition with the counts of how often a website's topics were computed."""
    return f"TOPICS#{site_id}"


def topics_minute(site_id: str, minute: int) -> tuple[str, str]:
    """Return the key of the count of a website's topic computations in a minute."""
    return topics_partition(site_id), f"MINUTE#{minute}"


def kept_landing_pages(question: str) -> tuple[str, str]:
    """Return the key of the header of cached landing pages of an analytics property."""
    return f"LANDING#{question}", META


def kept_landing_pages_block(question: str, token: str, number: int) -> tuple[str, str]:
    """Return the key of a block of cached landing pages. ``token``: shared by all blocks that were written together."""
    return f"LANDING#{question}", f"LANDING#{token}#{number:03d}"


def live_read(site_id: str, file: str) -> tuple[str, str]:
    """Return the key of the row with the current read of a live file of a website, and the result of the last one."""
    return f"LIVE#{site_id}#{file}", META


def answers_partition(asker: str) -> str:
    """Return the partition of the answers that are stored for repeated requests of an API key (given by its id) or of a
    session (given by the SHA-256 of its secret)."""
    return f"IDEM#{asker}"


def idempotency(asker: str, *parts: str) -> tuple[str, str]:
    """Return the key of the answer that is stored for an Idempotency-Key. ``parts``: method, path and the given value;
    the key has a hash of them."""
    return answers_partition(asker), digest(*parts).hex()
