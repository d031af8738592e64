"""Every member of the API's description is explained: by itself, by its schema's text, or by a name that says all."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.api.client import document

# Names that mean the same wherever they are and need no words. A new member gets a description instead of a line here.
PLAIN = frozenset(
    """
    accepted actions aeo affectedPages after ageDays agent answeredAt answers apiRequestsPerHour applied appliedAt
    applying approved approvedAt approvedBy at auditId audits batchId batches before bot bytes cached canonical
    cappedByPlan categories category change changed changes channel chars checked checkedAt checks clicks cls cmsId
    collectedAt computedAt condition confidence connected connection connections content contentType count country
    crawlId crawlers critical ctr currency date days daysDone default delta description detail device dimension
    engagedSessions error event events exportId failed features fetchedAt field fieldCls fieldInpMs fieldLcpMs
    fields findings finishedAt firstSeen fix found from hasMore headings health high history host hreflang id
    images impressions indexable inlinks issueId issueIds issues items jobId key keyEvents keyEventsByName kind
    labBlockingMs labCls labLcpMs lang language lastCrawled lastImportAt lastSeen lcp level lighthouseVersion limit
    link linkingPages lists locale low maxChars message meta_description minPages name new nextCursor nextOffset
    nextScheduledAt nextScheduledAuditAt noindex notIndexableReason notLive notLiveReason notVisibleYet note offset
    open openIssues order organizationName outcome owner page pageBudget pageCount pageId pageKind pages pagesAfter
    pagesBefore pagesCrawled pagesDiscovered pagesPerAudit pagesTruncated partialReason pass password perDay
    percent periodEnd planLimit plans platform position present previewId previous previousClicks previousFrom
    previousImpressions previousTo priceMonthly priceYearly prompt promptId prompts purpose query queued queuedAt
    raw reason recommended refused rendered renderedAt reopened resolved results reverted robots rows
    rowsLastImport ruleId running sameAs scope searchData searchType selector seoPlugin sessions severity since
    site sitemapCrawled sitemapUrls snippet sort source speedTestsPerDay stage staleDays startedAt startedBy
    startsLeftToday state status statusAfter statusBefore strategy structuredDataTypes suffix suggestionsLimit
    suggestionsOffset suggestionsTotal summary template testedAt text timeLimitMinutes title to topPages topQueries
    topics total totalTopics truncated ttfbMs type updatedAt url usedToday username value version versions
    websiteSetting websites weeks withoutAlt wordCount words workspaceId writable writableField writableFields
    writtenAt
    """.split()
)


def _members(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, member in schema.get("properties", {}).items():
        yield name, member
        yield from _members(member)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            yield from _members(schema[part])
    for part in ("allOf", "anyOf", "oneOf"):
        for option in schema.get(part, ()):
            yield from _members(option)


def _is_described(member: Mapping[str, Any], schemas: Mapping[str, Any]) -> bool:
    if member.get("description"):
        return True
    if "$ref" in member:
        return bool(schemas[member["$ref"].rpartition("/")[2]].get("description"))
    options = [option for part in ("allOf", "anyOf", "oneOf") for option in member.get(part, ())]
    return any(_is_described(option, schemas) for option in options)


def _undescribed(schemas: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (schema_name, name)
        for schema_name, schema in schemas.items()
        for name, member in _members(schema)
        if not _is_described(member, schemas) and f"`{name}`" not in schema.get("description", "")
    ]


def test_every_member_has_a_description_or_a_plain_name() -> None:
    found = _undescribed(document()["components"]["schemas"])
    assert [f"{schema}.{name}" for schema, name in found if name not in PLAIN] == []
    assert PLAIN - {name for _, name in found} == set(), "names that no longer need a line"


def test_a_member_without_any_explanation_is_found() -> None:
    schemas = {
        "Named": {"properties": {"id": {"type": "string"}}, "description": "What it is."},
        "Site": {
            "description": "A website. `host`: its name.",
            "properties": {
                "host": {"type": "string"},
                "named": {"$ref": "#/components/schemas/Named"},
                "told": {"type": "string", "description": "In words."},
                "odd": {"items": {"properties": {"inner": {"type": "string"}}}},
            },
        },
    }
    assert _undescribed(schemas) == [("Named", "id"), ("Site", "odd"), ("Site", "inner")]
