"""The settings in groups. `Settings` inherits from all of them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, StringConstraints
from pydantic_settings import NoDecode

from adsvc.enums import ContactVisibility
from adsvc.limits import MEBIBYTE, Bytes, Count, RequestBytes
from adsvc.settings.colours import readable_accent
from adsvc.settings.database_urls import postgres_url, replica_url
from adsvc.settings.validators import (
    LARGEST_PORT,
    LOCAL_STORE,
    all_cores,
    built_storefront,
    contacts,
    country_codes,
    endpoint_address,
    existing_directory,
    half_of_the_cores,
    half_of_the_cores_at_least_two,
    language_tags,
    logo_file,
    machine_name,
    map_tiles_address,
    name_list,
    networks,
    origins,
    path_prefix,
    pictures_address,
    site_address,
    store_address,
    usable_secret,
)

# At most a day. The bounds also exclude infinity and NaN.
Seconds = Annotated[float, Field(gt=0, le=86_400)]
BytesOrNone = Annotated[int, Field(ge=0, le=2**50)]


class SearchSettings(BaseModel):
    """Listings, searches and the response cache."""

    search_workers: Count = Field(default_factory=half_of_the_cores_at_least_two)
    """Searches, filtered lists and facets that the database works on simultaneously."""
    search_queue: Count = 16
    """Searches that may be queued; more are refused with 503."""
    search_words_max: Count = 12
    """Most words in `q`."""
    search_page_size_max: Count = 100
    """Most ads on a page of a search for words."""
    search_language: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")] = "english"
    """The language of the search, for stemming: a text search configuration of PostgreSQL, such as
    `german`, `russian`, or `simple` for no stemming. `adsvc migrate` changes it."""
    count_bound: Count = 1000
    """The most matches of a filter that are counted. Of a search, only candidates that it examines
    are counted."""
    facet_bound: Count = 10_000
    """How many of the newest matches facets count."""
    answers_max_bytes: BytesOrNone = 48 * 1024 * 1024
    """Bytes of memory of each process for its cache of answers; `0` switches the cache off."""


class ImageSettings(BaseModel):
    """Uploads and pictures."""

    # They run at a low priority, so they mostly take time that nothing else needs.
    image_workers: Count = Field(default_factory=all_cores)
    """Pictures converted at the same time, each in a process of its own."""
    image_queue: Count = 8
    """Uploads that may be received or queued; more are refused with 503. One account may use
    half of the workers, and two places in the queue."""
    image_max_side: Count = 2048
    """Longest side of a stored picture, in pixels; larger ones are scaled down."""
    image_seconds: Seconds = 15
    """Longest time to convert one picture; a picture that takes longer is refused with 400."""
    # The lower bound is what an interpreter and the smallest pictures need.
    image_memory_bytes: int = Field(default=1024 * MEBIBYTE, ge=64 * MEBIBYTE, le=2**50)
    """Address space of a process that converts pictures; a picture that needs more is refused with
    400. At least 64 MiB."""
    image_grace_seconds: Count = 24 * 60 * 60
    """`adsvc sweep` spares files younger than this."""
    uploads_under_way_per_user: Count = 8
    """Uploads of one account that are received or converted at once; more are refused with 429."""
    uploads_under_way_max_bytes: Bytes = 256 * 1024 * 1024
    """Bytes of all uploads that are being received or converted; more are refused with 503. One
    account may use an eighth of them, or more while less than half are used."""
    image_quota_bytes: BytesOrNone = 1024 * 1024 * 1024
    """Bytes that the stored pictures of one account may take, for its ads and its avatar; more are
    refused with 409. `0` for no limit."""
    text_quota_bytes: BytesOrNone = 16 * 1024 * 1024
    """Bytes that the texts of one account may take in UTF-8, those of its ads, comments, reports
    and all else that it writes; more is refused with 409. `0` for no limit."""
    disk_reserve_bytes: BytesOrNone | None = None
    """Bytes of a disk that stay free. Below that, uploads are refused with 503; on the disk of an
    embedded database, everything that adds text too. Unless set, a GiB or a tenth of a smaller
    disk; at least 48 MiB with an embedded database; `0` for no reserve. It has no effect with
    pictures in a bucket and a database server of your own."""


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


class AdEditors(StrEnum):
    """Who may change an ad; deletion is always for the author and administrators."""

    AUTHOR = "author"
    AUTHENTICATED = "authenticated"


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


class RateLimits(StrEnum):
    ON = "on"
    OFF = "off"


class Storefront(StrEnum):
    """`on` where its built files are there; otherwise `/` is a small page."""

    ON = "on"
    OFF = "off"


class Jobs(StrEnum):
    """Whether `adsvc serve` does the work beside requests, or leaves it to `adsvc worker`."""

    ON = "on"
    OFF = "off"


class FactorRequired(StrEnum):
    """Which accounts must have a second factor."""

    OFF = "off"
    MODERATORS = "moderators"
    ALL = "all"


class MailRequired(StrEnum):
    """What needs a verified mail address; each includes those before it."""

    NEVER = "never"
    POST = "post"
    CONTACT = "contact"


class ServerSettings(BaseModel):
    """The address, the processes, the files and the log."""

    host: str = "127.0.0.1"
    """Address to listen on, or a name, for all its addresses; `0.0.0.0` means all of IPv4, `::` all
    of IPv6 and IPv4."""
    port: int = Field(default=8080, ge=0, le=LARGEST_PORT)
    """Port to listen on."""
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
    backup_s3_endpoint: Annotated[str, AfterValidator(endpoint_address)] | None = None
    """Only to restore backups that were encrypted by a key file: address of their S3, if it is
    not that of the pictures."""
    backup_s3_region: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")] | None = None
    """Region of the bucket for backups, if it is not that of the pictures."""
    backup_s3_access_key_id: str | None = None
    """With `ADSVC_BACKUP_S3_SECRET_ACCESS_KEY` the credentials that restic uses, if they are not
    those for the pictures."""
    backup_s3_secret_access_key: SecretStr | None = None
    """See `ADSVC_BACKUP_S3_ACCESS_KEY_ID`."""
    image_redirect_url: Annotated[str, AfterValidator(pictures_address)] | None = None
    """Where `/images/{name}` leads to, as `https://cdn.example.com/ads`: a CDN's or the bucket's
    address, to which the name is added. Without it, pictures come from the service."""


class AccessSettings(BaseModel):
    """Tokens, passwords, sessions and permissions."""

    jwt_secret: Annotated[SecretStr, AfterValidator(usable_secret)] | None = None
    """Signs tokens and cursors; at least 32 bytes. Required with `ADSVC_DATABASE_URL`, else made
    once and kept in `ADSVC_DATA_DIR`."""
    jwt_issuer: str = "adsvc"
    """`iss` of the tokens; only tokens that bear it are accepted."""
    jwt_audience: str = "adsvc"
    """`aud` of the tokens; only tokens that bear it are accepted."""
    access_token_seconds: Count = 15 * 60
    """Lifetime of an access token."""
    refresh_token_seconds: Count = 30 * 24 * 60 * 60
    """How long a session lasts after its last use."""
    sessions_per_user: Count = 50
    """Sessions an account may have; a new one ends the one that was used longest ago."""
    second_factor: FactorRequired = FactorRequired.OFF
    """Who must have a second factor before doing more than setting it up: `off` no one,
    `moderators` moderators and administrators, `all` every account."""
    http_basic: bool = False
    """`true` accepts HTTP Basic: user name and password with every request."""
    cors_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(origins)] = (
        "http://localhost:3000",
    )
    """Origins whose pages may call, as browsers send them (lower case, without `:443` or `:80`),
    separated by commas; `,` for none."""
    ad_editors: AdEditors = AdEditors.AUTHOR
    """Who may change an ad or its picture: `author` (and administrators), or `authenticated`
    (every account)."""
    category_required: bool = False
    """Every new ad must have a category, and none may lose its own."""
    password_workers: Count = Field(default_factory=half_of_the_cores)
    """Passwords hashed simultaneously."""
    password_queue: Count = 32
    """Passwords that may be queued for hashing; more are refused with 503."""
    # OWASP's minimum for Argon2id with one lane. Tests take less.
    password_memory_kib: int = Field(default=19 * 1024, ge=8, le=4 * 1024 * 1024)
    """KiB of memory that Argon2id takes for each password; less than the default is for tests.
    Stored hashes are renewed at the next login."""
    password_iterations: int = Field(default=2, ge=1, le=1000)
    """Passes of Argon2id over that memory."""


class AdSettings(BaseModel):
    """What ads may and must have."""

    ad_days: int = Field(default=0, ge=0, le=36_500)
    """How many days an ad is shown before it has to be renewed; at most 36500. 0: without end."""
    drafts_max: int = Field(default=50, ge=1, le=10_000)
    """How many drafts an account may have before `POST /ads/drafts` is refused; at most 10000.
    Drafts that were withdrawn unfinished count too."""
    draft_days: int = Field(default=180, ge=0, le=36_500)
    """After how many days without a change a draft is deleted, with its pictures, or what was
    withdrawn unfinished; at most 36500. 0: never."""


class ConversationSettings(BaseModel):
    """Conversations between accounts."""

    contact: ContactVisibility = ContactVisibility.OPEN
    """`open`: `GET /ads/{id}` returns the author's user name and phone number to every account.
    `hidden`: it returns empty strings to all but the author and administrators; others write a
    message, or read the number by `POST /ads/{id}/phone`. It needs
    `ADSVC_AD_EDITORS=author`."""
    message_days: int = Field(default=365, ge=1, le=36_500)
    """Days for which a conversation is kept after its last message; at most 36500."""


class ModerationSettings(BaseModel):
    """Reports and decisions."""

    reports_to_hide: int = Field(default=0, ge=0, le=2**31 - 1)
    """This many reports by accounts in good standing hide an ad until a moderator has looked at it;
    0 means never."""
    case_days: int = Field(default=730, ge=180, le=36_500)
    """How long a decided case is kept, with its reports, snapshots and decisions; 180 to 36500.
    Restrictions are kept for as long as they are in force."""


class RateLimitSettings(BaseModel):
    """Rate limits, and the proxies whose forwarded addresses they trust."""

    rate_limits: RateLimits = RateLimits.ON
    """`off` switches off all limits of this group. It also removes the shares of one client and its
    networks in the pools for passwords, pictures and searches, and in `ADSVC_BUSY_REQUESTS`."""
    login_attempts: Count = 10
    """Attempts to log in to one account from one address, in one window."""
    login_attempts_in_all: Count = 30
    """The same, but with successful attempts, which `ADSVC_LOGIN_ATTEMPTS` does not count."""
    login_attempts_per_address: Count = 100
    """Failed attempts to log in from one address, to any account, in one window."""
    login_network_factor: Count = 4
    """How many times as much the networks around an address may send (the /56 and /48 of IPv6, the
    /24 of IPv4). This applies to everything that is counted by address: logins, registrations,
    mails, searches."""
    login_window_seconds: Count = 5 * 60
    """The window of `ADSVC_LOGIN_ATTEMPTS`, `ADSVC_LOGIN_ATTEMPTS_IN_ALL` and
    `ADSVC_LOGIN_ATTEMPTS_PER_ADDRESS`."""
    login_attempts_per_account: Count = 100
    """Failed attempts to log in to one account, from all addresses, in a window of their own. The
    limit does not apply to a client with a session of the account, or from a network where one is
    used."""
    login_account_window_seconds: Count = 60 * 60
    """The window of `ADSVC_LOGIN_ATTEMPTS_PER_ACCOUNT`."""
    passwords_per_account: Count = 2
    """Passwords of one account from one address that are hashed or queued at once; more are refused
    with 429."""
    passwords_per_network: Count = 4
    """Passwords from one address that are hashed or queued at once, for any account;
    `ADSVC_LOGIN_NETWORK_FACTOR` times as many from the networks around it, and at most half of all
    places."""
    registrations_per_address: Count = 100
    """Registrations from one address in one window."""
    registration_window_seconds: Count = 60 * 60
    """The window of `ADSVC_REGISTRATIONS_PER_ADDRESS`."""
    writes_per_user: Count = 600
    """Changes and deletions of ads, comments and the profile by one account in one window."""
    write_window_seconds: Count = 10 * 60
    """The window of `ADSVC_WRITES_PER_USER`."""
    uploads_per_user: Count = 200
    """Pictures that one account sends in one window, with a new ad or without."""
    upload_window_seconds: Count = 60 * 60
    """The window of `ADSVC_UPLOADS_PER_USER`."""
    ad_reads_per_user: Count = 300
    """Different ads of other authors, with their contact, that one account may read in one window.
    Administrators are exempt."""
    ad_read_window_seconds: Count = 60 * 60
    """The window of `ADSVC_AD_READS_PER_USER`."""
    exports_per_user: Count = 10
    """Exports (`GET /users/me/export`) of one account in one window."""
    export_window_seconds: Count = 60 * 60
    """The window of `ADSVC_EXPORTS_PER_USER`."""
    reports_per_user: Count = 30
    """Reports by one account in one window."""
    report_window_seconds: Count = 60 * 60
    """The window of `ADSVC_REPORTS_PER_USER`."""
    messages_per_user: Count = 300
    """Messages and offers of one account in one window."""
    message_window_seconds: Count = 60 * 60
    """The window of `ADSVC_MESSAGES_PER_USER`."""
    conversations_first_day: Count = 5
    """Conversations that an account may begin within 24 hours while it is younger than a day.
    Answers do not count."""
    conversations_first_week: Count = 20
    """The same while it is younger than a week."""
    conversations_per_day: Count = 100
    """The same from then on."""
    strangers_per_receiver: Count = 30
    """Conversations with one account that all accounts younger than a week may begin within 24
    hours, together."""
    searches_per_address: Count = 120
    """Searches, filtered lists, facets and pages above the default size that one address may
    request in one window, where the answer is not cached. Each process counts by itself."""
    search_window_seconds: Count = 60
    """The window of `ADSVC_SEARCHES_PER_ADDRESS`."""
    suggestions_per_address: Count = 600
    """Suggestions and places that one address may request in a minute. Each process counts by
    itself."""
    trusted_proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(networks)] = ()
    """Addresses and networks, separated by commas, whose `X-Forwarded-For` and `X-Forwarded-Proto`
    are trusted."""


class SiteSettings(BaseModel):
    """The site, and its storefront."""

    site_name: str = "adsvc"
    """The name of the site. Its words add nothing to the strength of a password."""
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "EUR"
    """The currency of prices: three capital letters (ISO 4217)."""
    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")] | None = None
    """The country of the site: two capital letters (ISO 3166-1). Phone numbers without a country
    code are numbers of this country; without the setting they stay as they are written."""
    countries: Annotated[tuple[str, ...], NoDecode, BeforeValidator(country_codes)] = ()
    """The countries whose places are loaded of those that come with adsvc: codes of two letters
    (ISO 3166-1), separated by commas, as `de,at`. All, about 235,000 places, without it."""
    # The first one is for visitors whose language is unknown.
    languages: Annotated[tuple[str, ...], NoDecode, BeforeValidator(language_tags)] = (
        "en",
        "de",
        "ru",
    )
    """The languages of the site, the default first: `de,en`. The storefront has pages in those of
    `en`, `de` and `ru` that are among them, or else in English."""
    site_url: Annotated[str, AfterValidator(site_address)] | None = None
    """The public address of the site, such as `https://ads.example.com`, for links in pages, feeds
    and sitemaps. Without it, they use the host of the request."""
    root_path: Annotated[str, AfterValidator(path_prefix)] = ""
    """The path below which a proxy offers the service, as `/api`. The proxy takes it away from
    requests; the service puts it before the addresses in its answers: types of problems,
    `Location`, `Link`, the document and its pages. There is then no storefront, which needs the
    root of a host."""
    storefront: Storefront = Storefront.ON
    """Whether the storefront is served, if it was built; `off` leaves a small page at `/`."""
    storefront_dir: Annotated[Path, AfterValidator(built_storefront)] | None = None
    """Directory of a built storefront, if not the one in the package."""
    theme_accent: Annotated[str, AfterValidator(readable_accent)] | None = None
    """The colour of links and of the loudest buttons: `#0b5d57`. White texts must be readable on
    it, and it on light surfaces (WCAG AA, 4.5:1); the colours of the dark scheme follow from it."""
    theme_logo: Annotated[Path, AfterValidator(logo_file)] | None = None
    """A logo for the header, beside the name of the site: SVG, PNG or WebP of at most 128 KiB,
    shown 28 pixels high."""
    map_tiles: Annotated[str, AfterValidator(map_tiles_address)] | None = None
    """The map tiles of the storefront: the address of a PMTiles file, or one such as
    `https://tiles.example.com/{z}/{x}/{y}.png`. Its host may be requested by the pages. Without
    it, maps have coasts, borders and larger cities only."""
    map_attribution: str = ""
    """Whose map it is, shown on every map: text, in which `[a word](https://…)` is a link."""
    pages_dir: Annotated[Path, AfterValidator(existing_directory)] | None = None
    """Directory of pages in Markdown, such as the imprint, terms, privacy and help, with a link at
    the foot of every page: `imprint.md` in the first language of the site, `imprint.de.md` in
    German. The first heading is the title. They are read at the start."""
    security_contact: Annotated[tuple[str, ...], NoDecode, BeforeValidator(contacts)] = ()
    """Contacts for reports of vulnerabilities, for `/.well-known/security.txt` (404 without it):
    URIs that begin with `mailto:` or `https://`, separated by commas."""
