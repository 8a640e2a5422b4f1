"""The settings of the platform, in groups."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, StringConstraints
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy.engine import URL

from adsvc.kit.errors import ConfigurationError
from adsvc.kit.settings import Bytes, Count, RequestBytes, Seconds
from adsvc.kit.settings.validators import (
    LARGEST_PORT,
    LOCAL_STORE,
    async_database_url,
    endpoint_address,
    machine_name,
    name_list,
    path_prefix,
    pictures_address,
    postgres_url,
    replica_url,
    store_address,
)


class TransportSettings(BaseModel):
    """Limits of connections and requests, which the protocol enforces."""

    busy_requests: Count = 64
    """Simultaneous requests, at most half of them from one address; more are refused with 503.
    Those that wait for their client do not count."""
    connections: Count = 8192
    """Client connections of a process, fewer if it may open too few files; beyond the
    limit, some that wait for their clients are closed."""
    header_timeout_seconds: Seconds = 10
    """From the opening of a connection, or the first byte of its next request, to the end of the
    headers; then 408."""
    body_timeout_seconds: Seconds = 30
    """From there to the end of the body; then 408."""
    body_min_bytes_per_second: Bytes = 32 * 1024
    """Each time this many bytes of a body arrive, its time grows by a second."""
    body_max_seconds: Seconds = 600
    """Longest time for any body; then 408."""
    send_timeout_seconds: Seconds = 60
    """How long a client may receive no byte of an answer; then the connection is closed."""
    keep_alive_seconds: Count = 5
    """How long a connection stays open after an answer."""
    header_max_bytes: RequestBytes = 64 * 1024
    """Bytes of request line and headers together; more is 431. At least 1024."""
    header_max_count: Count = 100
    """Headers of one request; more is 431."""


class DatabasePooling(StrEnum):
    """For how long the pooler at `ADSVC_DATABASE_URL`, if any, lends a connection."""

    SESSION = "session"
    TRANSACTION = "transaction"


class LogFormat(StrEnum):
    CONSOLE = "console"
    JSON = "json"


class AccessLines(StrEnum):
    ALL = "all"
    ERRORS = "errors"
    SAMPLE = "sample"


class BackupPictures(StrEnum):
    COPIED = "copied"
    EXTERNAL = "external"


class ServerSettings(BaseModel):
    """The address, the processes, the files and the log."""

    host: str = "127.0.0.1"
    """Address to listen on, or a name, for all its addresses; `0.0.0.0` means all of IPv4, `::` all
    of IPv6 and IPv4."""
    port: int = Field(default=8080, ge=0, le=LARGEST_PORT)
    """Port to listen on."""
    development: bool = False
    """Whether developers may move the clock, provoke answers by a header and read mails, without
    credentials ([development mode](interface.md#development-mode)). It needs a loopback
    `ADSVC_HOST`, and mails are not sent."""
    root_path: Annotated[str, AfterValidator(path_prefix)] = ""
    """The path below which a proxy offers the service, as `/api`. The proxy takes it away from
    requests; the service puts it before the addresses in its answers: types of problems,
    `Location`, `Link`, the document and its pages. There is then no storefront, which needs the
    root of a host."""
    workers: int = Field(default=1, ge=1, le=64)
    """Number of processes, at most 64."""
    unready_seconds: float = Field(default=0, ge=0, le=3600)
    """How long the service still accepts connections after `SIGTERM`. Meanwhile `/readyz` answers
    503, and connections close after their next answer. Behind the shipped proxy use `5`, so that no
    request is refused while a new version is rolled out."""
    data_dir: Path = Path("data")
    """Directory of the pictures and, with the embedded database, of the database and the signing
    secret."""
    log_format: LogFormat = LogFormat.CONSOLE
    """`console` for people, `json` for programs."""
    log_access: AccessLines = AccessLines.ALL
    """Which requests have a line in the log: `all`, `errors` (status 400 and above), or `sample`
    (errors, and one in a hundred of the others)."""
    node_name: str = Field(
        default_factory=machine_name, pattern=r"^[A-Za-z0-9._-]+$", max_length=253
    )
    """The name of this node: connections to PostgreSQL are called `adsvc/NODE/POOL`, as
    `pg_stat_activity` shows. Two on one machine need different ones."""
    metrics_port: int | None = Field(default=None, ge=0, le=LARGEST_PORT)
    """Port of the listener for `/metrics`; without it there are none. `0` is any free one, which
    the log names."""
    metrics_host: str = "127.0.0.1"
    """Address of that listener. Anyone who can connect to it may read the metrics."""
    doctor_ignore: Annotated[tuple[str, ...], NoDecode, BeforeValidator(name_list)] = ()
    """Findings of `adsvc doctor` that you accept, as with its `--ignore`, separated by commas:
    checks, or parts of them (`risks/http_basic`). They do not affect its exit code."""
    audit_days: int = Field(default=180, ge=1, le=36_500)
    """Days for which the database keeps the audit trail; at most 36500."""
    event_days: int = Field(default=30, ge=1, le=3650)
    """Days for which the database keeps the log of events, which `/events` returns and webhooks are
    sent from; at most 3650. Cursors that are older are refused."""


class DatabaseSettings(BaseModel):
    """The database.

    Without an address the service runs a PostgreSQL of its own.
    """

    database_url: Annotated[SecretStr, AfterValidator(postgres_url)] | None = None
    """`postgresql://user:password@host:5432/name`, PostgreSQL 15 or newer; without it an embedded
    one is used. With several hosts, `host1:5432,host2:5432`, the one that accepts writes is used,
    unless `target_session_attrs` says otherwise."""
    database_pooling: DatabasePooling = DatabasePooling.SESSION
    """`transaction` if that address is a pooler in transaction mode; `session` for any other
    pooler, or none."""
    database_listen_url: Annotated[SecretStr, AfterValidator(postgres_url)] | None = None
    """The same database without such a pooler, to listen for changes and to migrate; required
    with `ADSVC_DATABASE_POOLING=transaction`."""
    database_replica_url: Annotated[SecretStr, AfterValidator(replica_url)] | None = None
    """A replica, or several, for lists, facets and categories; each process uses one of them."""
    database_pool_size: Count = 10
    """Size of each process's pool for listings, single ads and callers. The pool for everything
    else is equally large, and the pool for frequent changes and counted attempts is half as large.
    One more connection listens for changes, and one is for `/readyz`. The process that is the
    sequencer of events holds one more. With a replica there is another pool for lists, and a
    connection that reads the primary's position in its log."""
    # PostgreSQL stores it, and a multiple of it, as milliseconds in four bytes.
    database_timeout_seconds: float = Field(default=3, ge=0.01, le=3600)
    """Longest wait for a connection to PostgreSQL, and for the answer to a statement."""
    postgres_bin: Path | None = None
    """The directory of `pg_dump`, `pg_restore` and `psql`, for backups; without it those of the
    embedded PostgreSQL, or those on the path. They must be of the server's version or newer."""

    @property
    def uses_embedded_database(self) -> bool:
        return self.database_url is None

    @property
    def database_connections(self) -> int:
        """How many a process may open, to all servers."""
        sequencer = 1
        return self.primary_connections + self.replica_connections + sequencer

    @property
    def primary_connections(self) -> int:
        """How many of them lead to the server that takes writes, besides that of the sequencer.

        Reads have two pools of half the size, changes one of them, sessions one of the whole size.
        Four are for transactions that last as long as a job. One connection listens, one is for
        `/readyz`, and one reads the position that a replica must reach.
        """
        half = max(1, self.database_pool_size // 2)
        replicas = self.database_replica_url is not None
        lasting = 4
        return 3 * half + self.database_pool_size + lasting + 2 + replicas

    @property
    def replica_connections(self) -> int:
        if self.database_replica_url is None:
            return 0
        return 2 * max(1, self.database_pool_size // 2)

    def required_database_url(self) -> URL:
        if self.database_url is None:
            raise ConfigurationError("ADSVC_DATABASE_URL is not set.")
        return async_database_url(self.database_url.get_secret_value())

    def database_session_url(self) -> URL:
        """For what needs a connection of its own that lasts: migrations, and `pg_dump`."""
        if self.database_listen_url is None:
            return self.required_database_url()
        return async_database_url(self.database_listen_url.get_secret_value())

    def database_replica(self) -> URL | None:
        if self.database_replica_url is None:
            return None
        return async_database_url(self.database_replica_url.get_secret_value())


class StoreSettings(BaseModel):
    """Where pictures are kept.

    Credentials for a bucket come from the variables of AWS (`AWS_ACCESS_KEY_ID` and so on, in the
    environment and not in `.env`) or from the role of the machine.
    """

    image_store: Annotated[str, AfterValidator(store_address)] = LOCAL_STORE
    """`local` is `images` in `ADSVC_DATA_DIR`; `s3://bucket/prefix` is an S3, for which the
    package needs its extra `s3`."""
    s3_endpoint: Annotated[str, AfterValidator(endpoint_address)] | None = None
    """Address of an S3 that is not that of AWS, as `https://s3.example.com`."""
    s3_region: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")] | None = None
    """Region of the bucket; without it `AWS_REGION` counts, or `us-east-1`."""
    s3_timeout_seconds: float = Field(default=8, ge=0.1, le=600)
    """Longest time for one call of the S3, with its retries; one attempt may take half of it."""
    backup_s3_region: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")] | None = None
    """Region of the bucket for backups, if it is not that of the pictures."""
    backup_s3_access_key_id: str | None = None
    """With `ADSVC_BACKUP_S3_SECRET_ACCESS_KEY` the credentials that restic uses, if they are not
    those for the pictures."""
    backup_s3_secret_access_key: SecretStr | None = None
    """See `ADSVC_BACKUP_S3_ACCESS_KEY_ID`."""
    image_redirect_url: Annotated[str, AfterValidator(pictures_address)] | None = None
    """Where `/images/{name}` leads to, as `https://cdn.example.com/ads`: a CDN's or the bucket's
    address, to which the name is added, or put in the place of `{name}`, as for imgproxy. Without
    it, pictures come from the service."""
    cdn_purge_url: Annotated[str, AfterValidator(pictures_address)] | None = None
    """Where the addresses of removed pictures are sent to, as JSON: `{"files": [...]}`, at most 30.
    Cloudflare's `https://api.cloudflare.com/client/v4/zones/ZONE/purge_cache` takes that."""
    cdn_purge_token: SecretStr | None = None
    """Sent with them as `Authorization: Bearer`."""
    backup_pictures: BackupPictures = BackupPictures.COPIED
    """`copied`: backups have the pictures. `external`: they have rows alone, because the bucket
    keeps versions of its objects, or is replicated."""


class PlatformSettings(TransportSettings, StoreSettings, DatabaseSettings, ServerSettings):
    """What the kit reads of the settings of a service."""

    @property
    def image_dir(self) -> Path:
        """Where the pictures are if `image_store` is `local`."""
        return self.data_dir / "images"


# How settings are read: `ADSVC_` and the name of the field in capitals.
ENVIRONMENT = SettingsConfigDict(
    env_prefix="ADSVC_",
    env_file=".env",
    env_ignore_empty=True,
    extra="ignore",
    hide_input_in_errors=True,
)


class ProtocolSettings(BaseSettings, PlatformSettings):
    """These settings alone, from the environment."""

    model_config = SettingsConfigDict(frozen=True, **ENVIRONMENT)
