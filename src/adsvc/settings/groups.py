"""The settings of classified ads, in groups. `Settings` inherits from all of them."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    DirectoryPath,
    Field,
    SecretStr,
    StringConstraints,
)
from pydantic_settings import NoDecode

from adsvc.enums import STANDARD, ContactVisibility, Feature, RegistrationMode
from adsvc.kit.settings import MEBIBYTE, Bytes, BytesOrNone, Count, Seconds
from adsvc.kit.settings.validators import (
    all_cores,
    built_storefront,
    contacts,
    country_codes,
    half_of_the_cores,
    half_of_the_cores_at_least_two,
    language_tags,
    logo_file,
    map_tiles_address,
    name_list,
    networks,
    origins,
    proxy_address,
    search_nodes,
    sender,
    site_address,
    usable_secret,
    usable_smtp_url,
)
from adsvc.settings.colours import colour


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
    search_url: Annotated[SecretStr, AfterValidator(search_nodes)] | None = None
    """The nodes of an OpenSearch that answers searches, such as
    `https://user:password@host:9200,https://…`, after `adsvc search rebuild`. Without it, and while
    it is away, PostgreSQL does."""
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


class AdEditors(StrEnum):
    """Who may change an ad; deletion is always for the author and administrators."""

    AUTHOR = "author"
    AUTHENTICATED = "authenticated"


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


class AccessSettings(BaseModel):
    """Tokens, passwords, sessions and permissions."""

    jwt_secret: Annotated[SecretStr, AfterValidator(usable_secret)] | None = None
    """Signs tokens and cursors; at least 32 bytes. Required with `ADSVC_DATABASE_URL`, else made
    once and kept in `ADSVC_DATA_DIR`."""
    jwt_secret_previous: Annotated[SecretStr, AfterValidator(usable_secret)] | None = None
    """During a rotation: another secret whose tokens and cursors are accepted, and by which stored
    secrets can be read. See [Secrets](operations/security.md#secrets)."""
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
    undo_days: int = Field(default=30, ge=0, le=3_650)
    """For how many days administrators can undo the deletion of an ad or account; its rows and
    pictures are stored for so long, where no one else sees them; at most 3650. 0: never."""
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


PLAN_NAME = r"[a-z][a-z0-9-]{0,31}"
PLAN = re.compile(rf"{PLAN_NAME}( (uploads|writes|ads|searches|streams)=[1-9][0-9]{{0,8}})*")


class PlanLimits(NamedTuple):
    # In the windows of `upload_window_seconds` and `write_window_seconds`.
    uploads: int
    writes: int
    # Ads that are shown at a time; None for any number.
    ads: int | None = None
    searches: int = 50
    # Of each process.
    streams: int = 4


def plan_texts(value: object) -> object:
    """Plans as operators write them, separated by commas."""
    if isinstance(value, str):
        value = tuple(" ".join(part.split()) for part in value.split(",") if part.strip())
    if isinstance(value, (tuple, list)):
        names = [str(text).partition(" ")[0] for text in value]
        if len({*names}) < len(names) or not all(PLAN.fullmatch(str(text)) for text in value):
            raise ValueError(
                "must be plans, each once, separated by commas: a name and limits, such as "
                "`dealer uploads=5000 writes=6000 ads=1000 searches=200 streams=16`"
            )
    return value


def plan_limits(texts: tuple[str, ...], standard: PlanLimits) -> Mapping[str, PlanLimits]:
    """By name, with the standard one. What a plan does not name is as in that."""
    found = {STANDARD: standard}
    for text in texts:
        name, *given = text.split()
        limits = dict(each.split("=") for each in given)
        found[name] = standard._replace(**{key: int(limit) for key, limit in limits.items()})
    return found


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
    plans: Annotated[tuple[str, ...], NoDecode, BeforeValidator(plan_texts)] = (
        "dealer uploads=5000 writes=6000 searches=200 streams=16",
    )
    """Plans that administrators give to accounts, separated by commas: a name, and limits that
    differ from those of all accounts. `uploads` and `writes` replace `ADSVC_UPLOADS_PER_USER` and
    `ADSVC_WRITES_PER_USER`; `ads` is how many are shown at a time, `searches` how many are saved,
    `streams` how many are open at a process. `standard` is the plan of all other accounts."""
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
    # No variable sets it: the prices in the database depend on it.
    price_decimals: ClassVar[int] = 0
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
    storefront: Storefront = Storefront.ON
    """Whether the storefront is served, if it was built; `off` leaves a small page at `/`."""
    storefront_dir: Annotated[Path, AfterValidator(built_storefront)] | None = None
    """Directory of a built storefront, if not the one in the package."""
    registration: RegistrationMode = RegistrationMode.OPEN
    """`closed`: `POST /register` is refused, and the storefront offers no registration."""
    features_off: Annotated[tuple[Feature, ...], NoDecode, BeforeValidator(name_list)] = ()
    """What the site does without, separated by commas: `comments`, `offers`, `conversations`,
    `phone`, `map`, `push`, `searches`. Their operations are refused with 403."""
    theme_accent: Annotated[str, AfterValidator(colour)] | None = None
    """The colour of the loudest buttons: `#0b5d57`. Texts on it are dark or white, links have a
    shade of it, and the dark scheme a lighter one, so that all can be read (WCAG AA, 4.5:1)."""
    theme_logo: Annotated[Path, AfterValidator(logo_file)] | None = None
    """A logo for the header, beside the name of the site: SVG, PNG or WebP of at most 128 KiB,
    shown 28 pixels high."""
    map_tiles: Annotated[str, AfterValidator(map_tiles_address)] | None = None
    """The map tiles of the storefront: the address of a PMTiles file, or one such as
    `https://tiles.example.com/{z}/{x}/{y}.png`. Its host may be requested by the pages. Without
    it, maps have coasts, borders and larger cities only."""
    map_attribution: str = ""
    """Whose map it is, shown on every map: text, in which `[a word](https://…)` is a link."""
    pages_dir: DirectoryPath | None = None
    """Directory of pages in Markdown, such as the imprint, terms, privacy and help, with a link at
    the foot of every page: `imprint.md` in the first language of the site, `imprint.de.md` in
    German. The first heading is the title. They are read at the start."""
    languages_dir: DirectoryPath | None = None
    """Directory of further languages of the storefront, a JSON file for each: `fr.json`. English
    has what it lacks. They are read at the start; see docs/operations/languages.md."""
    security_contact: Annotated[tuple[str, ...], NoDecode, BeforeValidator(contacts)] = ()
    """Contacts for reports of vulnerabilities, for `/.well-known/security.txt` (404 without it):
    URIs that begin with `mailto:` or `https://`, separated by commas."""

    @cached_property
    def further_languages(self) -> Sequence[str]:
        """Those of `languages_dir`."""
        files = self.languages_dir.glob("*.json") if self.languages_dir else ()
        return sorted(path.stem for path in files)


class JobSettings(BaseModel):
    """Background work.

    Mails, deletion of pictures, expiry of ads, and removal of old records.
    """

    jobs: Jobs = Jobs.ON
    """Whether `adsvc serve` does this work; `off` only where `adsvc worker` runs."""
    outbox_attempts: Count = 20
    """How many times work that follows a change, such as a mail, is attempted before it becomes a
    dead letter. With growing pauses, 20 attempts take about half a day."""
    outbox_days: int = Field(default=30, ge=1, le=36_500)
    """Days for which dead letters are kept for `adsvc outbox`; at most 36500."""


class NotificationSettings(BaseModel):
    """Notifications."""

    notification_days: int = Field(default=90, ge=1, le=36_500)
    """Days for which notifications are kept, read or not; at most 36500."""


class WebhookSettings(BaseModel):
    """Webhooks."""

    webhook_networks: Annotated[tuple[str, ...], NoDecode, BeforeValidator(networks)] = ()
    """Networks that webhooks may lead to although their addresses are not public, separated by
    commas, such as `127.0.0.0/8`. There `http://` is allowed too. Names are resolved by DNS alone,
    except `localhost`, which is `127.0.0.1`."""
    webhook_proxy: Annotated[SecretStr, AfterValidator(proxy_address)] | None = None
    """A proxy for webhooks: `http://user:password@host:port`. It gets `CONNECT` with an address
    that the service has resolved and checked, never a name."""
    webhook_days: int = Field(default=7, ge=1, le=36_500)
    """Days for which a delivery is kept after it was delivered or given up; at most 36500."""


class MailSettings(BaseModel):
    """Mail.

    Without a server, mails are files in `ADSVC_DATA_DIR/mail`.
    """

    smtp_url: Annotated[SecretStr, AfterValidator(usable_smtp_url)] | None = None
    """The SMTP server: `smtp://user:password@host:587`, with STARTTLS, or `smtps://` on port 465.
    Only `?tls=off` switches encryption off. Needs `ADSVC_MAIL_FROM` and
    `ADSVC_SITE_URL`."""
    mail_from: Annotated[str, AfterValidator(sender)] | None = None
    """The sender of mails: `Ads <noreply@ads.example.com>`, or the address alone."""
    mail_required: MailRequired = MailRequired.NEVER
    """What an account without a verified address may not do: `never` nothing, `post` publish ads,
    `contact` also read contacts of others and comment."""
    mail_connections: int = Field(default=8, ge=1, le=100)
    """Mails that each process sends at the same time, each on a connection of its own; at most
    100."""
    mail_seconds: float = Field(default=30, ge=0.1, le=600)
    """Longest time for one attempt to send a mail; at most 600. If the process dies meanwhile,
    another process takes over the mail 5 seconds after that time."""
    mails_per_account: Count = 10
    """Requests of one account that send mail, in one window."""
    mails_per_address: Count = 30
    """Requests from one address in one window. Counted are requests that send mail to an address or
    account named in them, registrations included, and attempts to use tokens from mails. A
    registration beyond the limit sends no mail."""
    mails_per_target: Count = 5
    """Mails to one mailbox, or for one user name, in one window, from all clients together. Beyond
    the limit each account that names the mailbox as its own can request one more mail, but one
    client address at most this number for all accounts. With `5`: after five mails to a mailbox in
    an hour, its owner's account still gets a sixth, and one address can cause five such mails."""
    mail_window_seconds: Count = 60 * 60
    """The window of these limits."""
