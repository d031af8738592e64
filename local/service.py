"""The whole service in one process: AWS, API, queue consumers, schedules, demo website, webhook receiver, control.

``Service(options).start()`` … ``stop()``. ``run.json`` describes the running parts to other processes.
"""

import contextlib
import json
import logging
import os
import secrets
import urllib.request
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import trustme

from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import connections, engines, sessions, sources, websites
from chalicelib.operations.errors import Refused
from chalicelib.settings.core import APP_PATH, core_settings
from chalicelib.settings.mail import mail_settings
from chalicelib.settings.network import network_settings
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client, key_file, migrating
from chalicelib.store.errors import AWS_ERRORS
from host.jobs import Jobs
from host.messages import Polling
from host.pump import Pump
from host.schedules import Schedules
from host.server import ApiServer
from local import demo, embedded, kms
from local.control import Clock, Control
from local.options import Options
from local.pump import EmbeddedPump
from local.receiver import Receiver
from local.serving import Standin
from local.standins.analytics import Analytics, Property, demo_visits
from local.standins.assistants import Assistants
from local.standins.cms import Cms, DemoSite
from local.standins.content import ContentQueue
from local.standins.field_data import ChromeUx
from local.standins.index_now import IndexNow
from local.standins.pagespeed import PageSpeed
from local.standins.search_console import Search
from local.standins.search_data import DemoSearch
from local.standins.shop import Shop
from local.standins.shop_items import DemoShop
from local.state import State
from local.tenants import Memory, Tenant, write_private
from management import template

LOOPBACK = "127.0.0.0/8"
BASE_PATH = "/api/v1"
SWEEPS = ("sweeper", "notices")  # schedules that only look for due rows (see local/sweeps.py)
DEMO_PLAN = "agency"
SITE_PLAN = "enterprise"
SECRET_BYTES = 32
# The settings that name outside services. They hold no secrets, so run.json can list them.
CONNECTIONS = (
    *("ASSISTANT", "ASSISTANT_MODEL"),
    *("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GEMINI_BASE_URL", "PERPLEXITY_BASE_URL"),
    *("SHOP_API_VERSION", "SHOP_ADMIN_URL"),
    *("GOOGLE_TOKEN_URL", "GOOGLE_AUTH_URL", "GOOGLE_CLIENT_ID"),
    *("SEARCH_CONSOLE_URL", "ANALYTICS_DATA_URL", "ANALYTICS_ADMIN_URL"),
    *("SAMPLING_ANSWERS", "SAMPLING_MODELS", "DRAFTS_A_DAY"),
    *("SPEED_PROVIDER", "PAGESPEED_URL", "CRUX_URL", "CRUX_REQUESTS_A_SECOND"),
    *("MAIL_FROM", "INDEXNOW_URL"),
    *("ENGINE_FUNCTION", "NODE_BINARY", "LIGHTHOUSE_PATH", "CHROME_PATH", "CHROME_SANDBOX", "CHROME_FEATURES"),
)

# The settings by which commands find this service's store. A shell may have those of another deployment.
STORE = ("TABLE_PREFIX", "QUEUE_PREFIX", "SECRETS_KEY", "EXPORTS_BUCKET", "STACK_ID", "ALARM_TOPIC")

log = logging.getLogger(__name__)


class CannotStart(Exception):
    """Raised if the service cannot start. The message says why and what to do."""


class Service:
    """One local service.

    - ``tenant`` and ``site_url``: the workspace and website that ``make run`` audits.
    - ``cms``: the stand-in of the demo website's CMS.
    - ``content``: the thread that sends the content of this CMS.
    - ``shop``: the stand-in of a shop with the demo website's shopping pages.
    - ``search``, ``analytics`` and ``assistants``: the stand-ins of the search service, of Analytics and of AI
      assistants.
    - ``mailbox``: the mails that the service sent.
    - ``not_connected``: why the demo website is not connected to its CMS, in words; None if it is connected.

    A website other than the demo website is never connected.
    """

    tenant: Tenant
    site_url: str
    base_url: str
    demo_sites: demo.DemoSites
    receiver: Receiver
    cms: Cms
    shop: Shop
    search: Search
    analytics: Analytics
    assistants: Assistants
    content: ContentQueue
    not_connected: str | None = None

    def __init__(self, options: Options) -> None:
        self.options = options
        self.mailbox = embedded.MAILBOX
        self.warnings: list[str] = []  # printed at the start
        self._parts = contextlib.ExitStack()
        # The user's own AWS services, named by the standard variables. They are used instead of embedded ones.
        self._own_aws = os.environ.get("AWS_ENDPOINT_URL") or None
        self._own = {
            target: url
            for target, variable in embedded.ENDPOINT_OF.items()
            if (url := self._own_aws or os.environ.get(variable))
        }

    @property
    def run_file(self) -> Path:
        return self.options.folder / "run.json"

    def start(self) -> None:
        """Start every part, the API first and the queue consumers last.

        If the start fails, every part is stopped. Raises ``CannotStart``, ``StateInUse``, and ``Refused`` if ``SITE``
        cannot be audited.
        """
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop every part, in reverse order, and restore the environment."""
        self._parts.close()

    def _start(self) -> None:
        self.options.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._refuse_second_service()
        self._parts.callback(_restore_environment, dict(os.environ))
        state = self._open_state()
        authority = trustme.CA()
        self._set_environment(state, authority)
        self._start_standins()
        self._look_at_key_file()
        self._start_aws(state)

        from app import app  # reads the settings that were just made

        try:
            api = ApiServer(app, self.options.port)
        except OSError as error:
            raise CannotStart(
                f"port {self.options.port} is taken ({error.strerror}): stop what listens there, "
                f"or choose another port with PORT={self.options.port + 1}"
            ) from error
        self._parts.callback(api.stop)
        self.base_url = api.url + BASE_PATH
        os.environ.setdefault("APP_URL", api.url + APP_PATH)
        forget_settings()
        self.mcp_url, self.docs_url = f"{api.url}/mcp", f"{api.url}/docs"
        memory = Memory(self.options.state / "tenants.json" if self.options.state else None)
        self._start_demo(authority, memory)
        receiver = self.receiver = self._stopped_at_end(Receiver())
        self.site_url = self.options.site or self.demo_sites.faulty.url
        if self.options.site:
            self.tenant = memory.tenant("Own website", SITE_PLAN, self.site_url)
        else:
            self.tenant = memory.tenant("Demo", DEMO_PLAN, self.site_url, "Demo website")
        migrating.list_people(self.tenant.workspace_id)  # the stored state may come from an earlier release
        self._add_endpoint(memory, receiver)

        embedded_pump = None if embedded.QUEUES in self._own else EmbeddedPump(app)
        pump = embedded_pump or Pump(app, Polling(), Jobs())
        schedules = Schedules(app, pump.jobs)
        pump.start()
        self._parts.callback(pump.stop)
        schedules.start()
        self._parts.callback(schedules.stop)
        if self.options.site is None:
            self.not_connected = self._connect()
            if websites.existing(OPERATOR, self.tenant.site_id, "read").connections.search is not None:
                self.connect_search()  # the stand-in makes another key at each start
                self.connect_analytics()
        sweeps = () if embedded.TABLES in self._own else SWEEPS
        standins: dict[str, Standin] = {
            "assistants": self.assistants,
            "cms": self.cms,
            "shop": self.shop,
            "search": self.search,
            "analytics": self.analytics,
            "psi": self._pagespeed,
            "crux": self._field_data,
            "indexnow": self._index_now,
        }
        control = self._stopped_at_end(Control(Clock(embedded_pump, schedules, sweeps), standins, self.mailbox))
        self._write_run_file(receiver, control)

    def sign_in_link(self) -> str:
        """Make a link that signs the tenant's person in to the app. It works once, within 15 minutes."""
        token = sessions.make_link(self.tenant.workspace_id, self.tenant.person_id)
        return sign_in.address_of(core_settings().app_root, token)

    def _add_endpoint(self, memory: Memory, receiver: Receiver) -> None:
        try:
            receiver.know(memory.endpoint(self.tenant.workspace_id, receiver.url))
        except AWS_ERRORS as error:  # the user's own AWS may have no key for secrets
            log.warning("no webhook endpoint was added, because its secret could not be encrypted: %s", error)

    def _connect(self) -> str | None:
        """Connect the demo website to its CMS with a pairing code. Returns why that failed; None if it is connected.

        This is done at each start, since the stand-in does not store the last pairing.
        """
        try:
            connections.pair(
                OPERATOR,
                self.tenant.site_id,
                url=self.cms.address,
                code=self.cms.code(),
                person_id=self.tenant.person_id,
                base_url=self.base_url,
            )
        except Refused as refusal:
            return refusal.message
        except AWS_ERRORS as error:  # the user's own AWS may have no key for secrets
            return f"Its secret could not be encrypted: {error}"
        return None

    def connect_search(self) -> None:
        """Connect the demo website to its search data with the key of a service account. Raises ``Refused``.

        Does nothing if the user has configured another search service.
        """
        if self._told.get("SEARCH_CONSOLE_URL") != self.search.url:
            return
        given = self.search.credentials()
        try:
            sources.connect_search(
                OPERATOR, self.tenant.site_id, name=given["property"], credentials=given["credentials"]
            )
        except AWS_ERRORS as error:  # the user's own AWS may have no key for secrets
            log.warning("the website is not connected to search, because its secret could not be encrypted: %s", error)

    def connect_analytics(self) -> None:
        """Connect the demo website to its analytics property.

        Does nothing if the user has configured another service.
        """
        if self._told.get("ANALYTICS_DATA_URL") != self.analytics.url:
            return
        given = self.analytics.credentials()
        sources.connect_analytics(
            OPERATOR, self.tenant.site_id, name=given["property"], credentials=given["credentials"]
        )

    def _stopped_at_end(self, part: Any) -> Any:
        self._parts.callback(part.stop)
        return part

    def _refuse_second_service(self) -> None:
        if not self.run_file.exists():
            return
        try:
            running = json.loads(self.run_file.read_text(encoding="utf-8"))
            with urllib.request.urlopen(f"{running['controlUrl']}/clock", timeout=2):
                pass
        except (OSError, ValueError, KeyError):
            return  # the run file of a service that was killed
        raise CannotStart(
            f"a service (process {running['pid']}) is already running in {self.options.folder}: stop it, or choose "
            "another folder with LOCAL_DIR=…"
        )

    def _open_state(self) -> State | None:
        if self.options.state is None:
            return None
        try:
            state = State(self.options.state)
        except OSError as error:
            raise CannotStart(f"the folder STATE={self.options.state} cannot be used: {error.strerror}") from error
        self._parts.callback(state.stop)
        self.warnings += [f"{one}: chmod 600 it" for one in state.exposed()]
        return state

    def _set_environment(self, state: State | None, authority: trustme.CA) -> None:
        """Set the settings of a local service. Settings that the user has made are left unchanged or extended."""
        own = os.environ
        bundle = self.options.folder / "ca.pem"
        certificates = [authority.cert_pem.bytes().decode()]
        if own.get("EXTRA_CA_FILE"):
            certificates.append(Path(own["EXTRA_CA_FILE"]).read_text(encoding="ascii"))
        bundle.write_text("\n".join(certificates), encoding="ascii")
        secret = state.secret("cursor") if state else secrets.token_hex(SECRET_BYTES)
        own["EXTRA_CA_FILE"] = str(bundle.resolve())
        own["EXTRA_HOSTS"] = _joined(own.get("EXTRA_HOSTS"), demo.EXTRA_HOSTS)
        own["ALLOW_ADDRESSES"] = _joined(own.get("ALLOW_ADDRESSES"), LOOPBACK)
        own.setdefault("CURSOR_SECRET", secret)
        own.setdefault("POWERTOOLS_TRACE_DISABLED", "1")
        own.setdefault("AWS_DEFAULT_REGION", embedded.REGION)
        forget_settings()

    def _look_at_key_file(self) -> None:
        key = core_settings().secrets_key
        exposed = key_file.exposed(key) if key.startswith(key_file.PREFIX) else None
        self.warnings += [f"SECRETS_KEY: {exposed}: chmod 600 it"] if exposed else []

    def _start_standins(self) -> None:
        """Start stand-ins for the outside services that the user has not connected.

        ``_told``: the settings that run.json passes on. It has the names of the store's parts and the addresses of all
        outside services, but the keys of stand-ins only.
        """
        self.assistants = self._stopped_at_end(Assistants())
        self._told = {name: os.environ[name] for name in CONNECTIONS if name in os.environ}
        core = core_settings()
        of_store = {one.metadata["env"]: getattr(core, one.name) for one in fields(core)}
        self._told |= {name: of_store[name] for name in STORE}
        self._tell(self.assistants.settings(os.environ))
        self._pagespeed: PageSpeed = self._stopped_at_end(PageSpeed())
        self._field_data: ChromeUx = self._stopped_at_end(ChromeUx())
        if self.options.site is None:  # these stand-ins have data only for the demo website
            self._tell(self._pagespeed.settings(os.environ) | self._field_data.settings(os.environ))
        self._index_now: IndexNow = self._stopped_at_end(IndexNow())
        self._tell(self._index_now.settings(os.environ))
        self._tell(self.mailbox.settings(os.environ))

    def _tell(self, settings: dict[str, str]) -> None:
        """Set settings in this process, and add them to run.json for other processes."""
        os.environ.update(settings)
        forget_settings()
        self._told |= settings

    def _start_aws(self, state: State | None) -> None:
        """Start the embedded AWS, unless the user has an AWS endpoint.

        Sets ``_aws_url``, the address at which other processes reach tables, queues and keys.
        """
        if self._own_aws:
            client.reset()
            self._aws_url = self._own_aws
            template.create_all(client.dynamodb(), client.sqs())
            return
        self._parts.enter_context(embedded.running(keep_endpoints=bool(self._own)))
        if state is not None:
            kms.use(bytes.fromhex(state.secret("encryption")))
            state.restore()
            state.start()
            # Closed here too: the state must write its last changes before the tables are gone.
            self._parts.callback(state.stop)
        self._aws_url = self._stopped_at_end(embedded.Endpoint(self._own)).url
        self.mailbox.verify(mail_settings().sender)
        os.environ.setdefault(embedded.OBJECTS_ENDPOINT, self._aws_url)  # S3's signed addresses need an endpoint

    def _start_demo(self, authority: trustme.CA, memory: Memory) -> None:
        ports = memory.ports() or self.options.demo_ports
        try:
            sites = demo.start(authority, faulty_port=ports.get("faulty", 0), clean_port=ports.get("clean", 0))
        except OSError:
            sites = demo.start(authority)
        self._parts.callback(sites.stop)
        self.demo_sites = sites
        self.content = self._stopped_at_end(ContentQueue())
        self.cms = self._stopped_at_end(Cms(DemoSite(sites.faulty), self.content))
        self.shop = self._stopped_at_end(Shop(DemoShop(sites.faulty)))
        self.search = self._stopped_at_end(Search(sites.faulty.url, DemoSearch(sites.faulty)))
        self._tell({"SHOP_ADMIN_URL": os.environ.get("SHOP_ADMIN_URL", self.shop.url)})  # empty: real shops
        self._tell(self.search.settings(os.environ))
        measured = Property(demo_visits(lambda: sites.faulty.pages), hosts=[urlsplit(sites.faulty.url).hostname or ""])
        self.analytics = self._stopped_at_end(Analytics(self.search.accounts, measured))
        self._tell(self.analytics.settings(os.environ))
        memory.keep_ports({"faulty": sites.faulty.port, "clean": sites.clean.port})

    def _write_run_file(self, receiver: Receiver, control: Control) -> None:
        write_private(
            self.run_file,
            {
                "baseUrl": self.base_url,
                "workspaceId": self.tenant.workspace_id,
                "workspaceKey": self.tenant.workspace_key,
                "siteId": self.tenant.site_id,
                "siteKey": self.tenant.site_key,
                "siteUrl": self.site_url,
                "demoSiteUrl": self.demo_sites.faulty.url,
                "cleanSiteUrl": self.demo_sites.clean.url,
                "cmsAddress": self.cms.address,
                "webhookReceiverUrl": receiver.url,
                "mcpUrl": self.mcp_url,
                "docsUrl": self.docs_url,
                "awsEndpointUrl": self._aws_url,
                "controlUrl": control.url,
                "appUrl": core_settings().app_url,
                "allowAddresses": network_settings().allow_addresses,
                "extraCaFile": network_settings().extra_ca_file,
                "extraHosts": network_settings().extra_hosts,
                "settings": self._told,
                "stateDir": None if self.options.state is None else str(self.options.state.resolve()),
                "notConnected": {"speedTests": engines.missing_engine(), "fieldData": engines.missing_field_data()},
                "pid": os.getpid(),
            },
        )
        self._parts.callback(self.run_file.unlink, missing_ok=True)


def _joined(given: str | None, more: str) -> str:
    return f"{given},{more}" if given else more


def _restore_environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)
    forget_settings()
    client.reset()
