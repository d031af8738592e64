"""Adds, edits, pauses, resumes and removes the websites of a workspace."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from chalicelib import clock
from chalicelib.domain import legible, plans
from chalicelib.domain.accounts.rights import Actor, Right
from chalicelib.domain.audit.watched import MOST_CHOSEN
from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.weekly import HOURS, next_weekly_run
from chalicelib.domain.ids import time_ordered
from chalicelib.domain.jobs import Job
from chalicelib.domain.visibility.names import LONGEST_ALIAS, MOST_ALIASES
from chalicelib.operations.accounts import checked_name, existing_workspace
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.jobs import send_job
from chalicelib.operations.permission import require
from chalicelib.randomness import random_bytes
from chalicelib.store import accounts, acts, api_keys, jobs, keys, removals, website_names, websites
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import MAX_WRITES, Write, commit
from chalicelib.store.websites import Website

Platform = Literal["wordpress", "shopify", "other", "unknown"]
PLATFORMS: tuple[str, ...] = get_args(Platform)

MOST_NAMED = 5  # websites that share a host
NEXT_AT_LEAST: Final = 86_400.0  # seconds from a change of the hour to the next audit: at most one a day
_KEEP: Any = object()


def add(
    actor: Actor,
    workspace_id: str,
    url: str,
    *,
    name: str | None = None,
    platform: str = "unknown",
    page_budget: int | None = None,
) -> Website:
    """Add a website. This starts no audit. The first audit runs on Sunday, unless somebody starts one before.

    If ``url`` has no scheme, ``https`` is assumed. ``name``: if empty, the host is the name. Refused: ``not_found``,
    ``not_allowed``, ``bad_url``, ``bad_name``, ``bad_platform``, ``bad_page_budget``, ``over_plan_limit``,
    ``plan_limit``.
    """
    require(actor, "work", workspace_id)
    address = checked_url(url)
    host = urls.host_key(address)
    checked = checked_name(host[:100] if name is None else name)
    _check_platform(platform)
    for _ in tries():
        workspace = existing_workspace(workspace_id)
        plan = plans.plan(workspace.plan)
        _check_page_budget(page_budget, plan)
        if plan.websites is not None and workspace.websites >= plan.websites:
            raise Refused(
                "plan_limit",
                f"The plan {plan.name} has room for {_websites(plan.websites)} and this workspace has "
                f"{workspace.websites}. Remove one first, or change the plan.",
            )
        now = clock.now()
        site_id = time_ordered("site", now, random_bytes(10))
        pk, sk = keys.website(workspace_id, site_id)
        website = Website(
            pk=pk,
            sk=sk,
            id=site_id,
            workspace_id=workspace_id,
            name=checked,
            host=host,
            url=address,
            platform=platform,
            status="active",
            page_budget=page_budget,
            created_at=now,
            next_audit_at=next_weekly_run(now),
            due_shard=keys.due_shard(site_id),
        )
        try:
            noted = _noted(actor, "website.added", website, now)
            commit([*websites.new(website), accounts.count(workspace, "websites", plan.websites), noted])
        except Conflict:
            continue
        return website
    raise busy()


def in_reach(url: str) -> str:
    """Return the URL as it is stored. Refused: ``bad_url``, if it is malformed or its host name has no public IP
    address."""
    # Imported here, since only adding or moving a website makes a request.
    from chalicelib.connectors import home_pages

    address = checked_url(url)
    why = home_pages.why_out_of_reach(address)
    if why is not None:
        raise Refused("bad_url", f"The address cannot be audited: {why}.")
    return address


def edit(
    actor: Actor,
    site_id: str,
    *,
    name: str | None = None,
    platform: str | None = None,
    page_budget: int | None = _KEEP,
    aliases: Sequence[str] | None = None,
    url: str | None = None,
    weekly_hour: int | None = _KEEP,
) -> Website:
    """Change a website. Values that are not given are not changed.

    - ``page_budget``: None for the default.
    - ``aliases``: other names of the website, as people gave them.
    - ``weekly_hour``: the hour of the week in which the weekly audit starts; None for Sundays 02:00 UTC.

    After a change of the address, the next audit starts at the new address. Until that audit ends, the website's host
    is the host that answered in the last audit. With a new hour, the next weekly audit is at least a day from now.
    Refused: ``not_found``, ``not_allowed``, ``bad_name``, ``bad_platform``, ``bad_page_budget``, ``over_plan_limit``,
    ``bad_alias``, ``bad_url``, ``bad_weekly_hour``.
    """
    changes: dict[str, Any] = {}
    if name is not None:
        changes["name"] = checked_name(name)
    if platform is not None:
        _check_platform(platform)
        changes["platform"] = platform
    if page_budget is not _KEEP:
        workspace_id = existing(actor, site_id, "work").workspace_id
        _check_page_budget(page_budget, plans.plan(existing_workspace(workspace_id).plan))
        changes["pageBudget"] = page_budget
    if aliases is not None:
        changes["aliases"] = _checked_aliases(aliases) or None
    if url is not None:
        changes["url"] = checked_url(url)
    if weekly_hour is not _KEEP:
        _check_weekly_hour(weekly_hour)

    def decide(website: Website) -> dict[str, Any]:
        decided = dict(changes)
        if url is not None and website.summary is None:
            decided["host"] = urls.host_key(changes["url"])
        if weekly_hour is not _KEEP and weekly_hour != website.weekly_hour:
            decided["weeklyHour"] = weekly_hour
            if website.status == "active":
                decided["nextAuditAt"] = next_weekly_run(clock.now() + NEXT_AT_LEAST, weekly_hour)
        return decided

    return _change(actor, site_id, decide)


def watch(actor: Actor, site_id: str, url: str) -> Website:
    """Watch a page of the website: the event ``page.changed`` then reports its changes. ``url``: its address or its
    path.

    Refused: ``not_found``, ``not_allowed``, ``bad_url``, ``other_host``, ``too_many_pages``.
    """

    def added(website: Website) -> dict[str, Any]:
        watched = list(dict.fromkeys([*(website.watched_pages or ()), _page_of(website, url)]))
        if len(watched) > MOST_CHOSEN:
            raise Refused("too_many_pages", f"A website has at most {MOST_CHOSEN} watched pages: unwatch one first.")
        return {"watchedPages": watched}

    return _change(actor, site_id, added)


def unwatch(actor: Actor, site_id: str, url: str) -> Website:
    """Stop watching a page. The home page and the pages with most clicks stay watched.

    Refused: ``not_found``, ``not_allowed``, ``bad_url``, ``other_host``.
    """

    def without(website: Website) -> dict[str, Any]:
        address = _page_of(website, url)
        return {"watchedPages": [one for one in website.watched_pages or () if one != address] or None}

    return _change(actor, site_id, without)


def _page_of(website: Website, url: str) -> str:
    address = urls.LinkResolver(website.url).resolve(url.strip())
    if address is None:
        raise Refused("bad_url", f"{url[:200]!r} is not an http or https address.")
    # If its address was edited, the next audit sets the new host.
    if not any(urls.same_site(address, host) for host in (website.host, urls.host_key(website.url))):
        raise Refused(
            "other_host", f"{address[:200]!r} is on another host; only pages of {website.host} can be watched."
        )
    return address


def pause(actor: Actor, site_id: str) -> Website:
    """Stop a website's weekly audits. Audits can still be started, and a running audit continues.

    Refused: ``not_found``, ``not_allowed``.
    """
    off = {"status": "paused", "nextAuditAt": None, "dueShard": None}
    return _set_status(actor, site_id, "paused", lambda _: off)


def resume(actor: Actor, site_id: str) -> Website:
    """Let a website's weekly audits run again. The next audit starts at the website's usual time.

    Refused: ``not_found``, ``not_allowed``.
    """

    def decide(website: Website) -> dict[str, Any]:
        next_audit_at = next_weekly_run(clock.now(), website.weekly_hour)
        return {"status": "active", "nextAuditAt": next_audit_at, "dueShard": keys.due_shard(site_id)}

    return _set_status(actor, site_id, "active", decide)


def remove(actor: Actor, site_id: str, *, wait: bool = True, stop: bool = False) -> None:
    """Remove a website, its keys and everything stored of it. A repeated call continues an interrupted removal.

    The record is removed first, in one transaction that also revokes the website's keys. From then on the website does
    not exist for anybody. Then its pages, issues and crawls are deleted. With ``wait``, the call deletes them itself;
    otherwise a job does. The job also completes an interrupted removal. ``stop``: remove the website even if a crawl
    holds its lock; the crawl then ends without effect.
    Refused: ``not_found``, ``not_allowed``, ``already_running`` (a crawl holds the lock, and ``stop`` is false).
    """
    pending = removals.pending(site_id)
    if pending is not None:
        require(actor, "remove_websites", pending)
        if wait:  # otherwise the job deletes the data
            _purge(site_id)
        return
    for _ in tries():
        website = existing(actor, site_id, "remove_websites")
        if website.place is not None and not stop:
            raise Refused(
                "already_running",
                f"The {website.place.kind} {website.place.crawl_id} of this website is {website.place.status}: "
                "cancel it, or wait until it has ended.",
            )
        now = clock.now()
        revoked: list[Write] = [
            write
            for key in api_keys.list_all(website.workspace_id)
            if key.kind == "website" and key.site_ids == [site_id] and key.revoked_at is None
            for write in api_keys.revoked(key, now)
        ]
        job = Job(
            id=removals.JOB_ID,
            kind="removal",
            site_id=site_id,
            workspace_id=website.workspace_id,
            queued_at=now,
            due_at=now,
        )
        removal = [
            *removals.removed(website, now),
            jobs.put_new(job),
            _noted(actor, "website.removed", website, now),
        ]
        together = MAX_WRITES - len(removal)
        try:
            for start in range(together, len(revoked), MAX_WRITES):
                commit(revoked[start : start + MAX_WRITES])
            commit([*removal, *revoked[:together]])
        except Conflict:
            continue
        if wait:
            _purge(site_id)
        else:
            send_job(job)
        return
    raise busy()


def _purge(site_id: str) -> None:
    removals.purge(site_id)
    removals.forget_job(site_id)


def existing(actor: Actor, site_id: str, right: Right) -> Website:
    """Return the website if the actor has the right in its workspace. Refused: ``not_found``, ``not_allowed``."""
    workspace_id = actor.workspace_id or websites.workspace_of(site_id)
    website = None if workspace_id is None else websites.get(workspace_id, site_id)
    if website is None:
        raise Refused("not_found", f"There is no website {site_id}.")
    require(actor, right, website.workspace_id)
    return website


def id_of_host(actor: Actor, host: str) -> str:
    """Return the id of the website with this host. Only the actor's workspace is searched; for the operator, all
    workspaces.

    ``host`` may be a URL: then its host is used. A leading ``www.`` makes no difference.
    Refused: ``not_found``, ``not_allowed``, ``ambiguous_host`` (several workspaces have a website with this host; the
    message names the ids).
    """
    wanted = _host_of(host)
    if actor.workspace_id is None:
        workspaces = [row.id for row in accounts.list_workspaces()]
    else:
        require(actor, "read", actor.workspace_id)
        workspaces = [actor.workspace_id]
    found = [
        (workspace_id, row.id)
        for workspace_id in workspaces
        for row in website_names.list_all(workspace_id)
        if row.host == wanted
    ]
    if not found:
        raise Refused("not_found", f"There is no website with the host {host[:200]!r}.")
    if len(found) > 1:
        ids = ", ".join(f"{site_id} (workspace {workspace_id})" for workspace_id, site_id in found[:MOST_NAMED])
        raise Refused("ambiguous_host", f"{len(found)} websites have the host {wanted}; name one by its id: {ids}.")
    return found[0][1]


def _host_of(text: str) -> str | None:
    """Return the host in the form of website records. Returns None if the text contains no host."""
    if "://" in text:
        address = urls.normalise(text)
        return None if address is None else urls.host_key(address)
    return urls.host_key(text.strip()) if text.strip() and len(text) <= urls.MAX_URL_LENGTH else None


def _set_status(actor: Actor, site_id: str, status: str, decide: "_Decide") -> Website:
    website = existing(actor, site_id, "work")
    # An active website keeps the time of its next audit, which may be due but not started yet.
    return website if website.status == status else _change(actor, site_id, decide)


_Decide = Callable[[Website], Mapping[str, Any]]  # the changed attributes of a website, by their stored names


def _change(actor: Actor, site_id: str, decide: _Decide) -> Website:
    for _ in tries():
        website = existing(actor, site_id, "work")
        try:
            noted = _noted(actor, "website.edited", website, clock.now())
            commit([*websites.changed(website, decide(website)), noted])
        except Conflict:
            continue
        return existing(actor, site_id, "work")
    raise busy()


def _noted(actor: Actor, act: str, website: Website, now: float) -> Write:
    """Return the write that logs an act on a website."""
    return acts.done(accounts.TABLE, actor, website.workspace_id, act, now, website.id, website.name)


def checked_url(url: str) -> str:
    """Return the address of a home page as it is stored. If it has no scheme, ``https`` is assumed. Refused:
    ``bad_url``."""
    url = url.strip()
    address = urls.normalise(url if "://" in url else f"https://{url}")
    if address is None:
        raise Refused(
            "bad_url",
            f"{url[:200]!r} is not an http or https address that can be audited, such as https://www.example.com.",
        )
    return address


def _check_platform(platform: str) -> None:
    if platform not in PLATFORMS:
        raise Refused("bad_platform", f"{platform!r} is not a platform; the platforms are {', '.join(PLATFORMS)}.")


def _check_page_budget(page_budget: int | None, plan: plans.Plan) -> None:
    if page_budget is None:
        return
    if page_budget < 1:
        raise Refused("bad_page_budget", f"The page budget is {page_budget}; it must be at least 1.")
    if page_budget > plan.pages_per_audit:
        raise Refused(
            "over_plan_limit",
            f"The page budget is {page_budget}; the plan {plan.name} reads at most {plan.pages_per_audit} pages per "
            "audit.",
        )


def _check_weekly_hour(hour: int | None) -> None:
    if hour is not None and not 0 <= hour < HOURS:
        raise Refused(
            "bad_weekly_hour", f"The hour of the week is {hour}; it must be from 0 (Monday, 00:00 UTC) to {HOURS - 1}."
        )


def _checked_aliases(aliases: Sequence[str]) -> list[str]:
    kept = list(dict.fromkeys(" ".join(legible.without_mark(alias).split()) for alias in aliases))
    if len(kept) > MOST_ALIASES:
        raise Refused("bad_alias", f"A website has at most {MOST_ALIASES} aliases; {len(kept)} were sent.")
    for alias in kept:
        if not any(map(str.isalnum, alias)) or len(alias) > LONGEST_ALIAS or not legible.is_clean(alias):
            raise Refused(
                "bad_alias",
                f"{alias[:40]!r} is not an alias: an alias is a name of 1 to {LONGEST_ALIAS} characters, without "
                "control characters.",
            )
    return kept


def _websites(count: int) -> str:
    return "1 website" if count == 1 else f"{count} websites"
