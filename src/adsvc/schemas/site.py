"""The site: its settings, pages, texts of mails and invitations."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from adsvc import API_VERSION
from adsvc.enums import (
    AccountMail,
    ContactVisibility,
    Feature,
    NotificationType,
    PagePlace,
    RegistrationMode,
    SectionKind,
)
from adsvc.kit import faults, markup
from adsvc.kit.normalisation import as_line, as_paragraphs
from adsvc.kit.records import (
    ANSWERED,
    LINE,
    CreatedAt,
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
    moment,
    refused,
)
from adsvc.schemas.categories import LANGUAGE, Colour
from adsvc.schemas.following import QUERY_MAX_LENGTH
from adsvc.schemas.limits import STANDARD_LIMITS, SiteLimits, SitePlan
from adsvc.schemas.users import LATEST

MOST_LANGUAGES = 20
MOST_ORIGINS = 20
MOST_SECTIONS = 12
SECURE_ORIGIN = r"^https://[a-z0-9.-]+(:[0-9]{1,5})?$"
ORIGIN = r"^https?://[a-z0-9.-]+(:[0-9]{1,5})?$"
LARGEST_CSS = 32 * 1024
LONGEST_NAME, LONGEST_LINE, LONGEST_WELCOME = 60, 200, 2000
LONGEST_TITLE, LONGEST_PAGE = 100, 64_000


def _by_language(longest: int, form: Callable[[str], str] = as_line) -> Any:  # noqa: ANN401 - as pydantic's own Field
    """Checks the whole of it at once: names of languages that are none are not to be repeated."""

    def check(texts: object) -> object:
        if not isinstance(texts, dict):
            raise refused(faults.wrong_type("object", "must have texts by language tag"))
        if len(texts) > MOST_LANGUAGES:
            raise refused(faults.wrong_count("languages", upper=MOST_LANGUAGES))
        if not all(LANGUAGE.fullmatch(tag) for tag in texts):
            raise refused(faults.wrong_format("must have language tags as keys: de, pt-BR"))
        if not all(isinstance(text, str) for text in texts.values() if text is not None):
            raise refused(faults.wrong_type("string", "must have texts, or null to remove one"))
        # The empty text is none.
        normal = {tag: (form(text) if text else "") or None for tag, text in texts.items()}
        if max((len(text or "") for text in normal.values()), default=0) > longest:
            detail = f"must have texts of at most {longest} characters"
            raise refused(faults.wrong_format(detail, maxLength=longest))
        return normal

    return BeforeValidator(check)


def _decimals(number: int) -> int:
    if number == 1:
        raise refused(faults.unknown("must be 0, 2 or 3"))
    return number


def _css(text: str) -> str:
    fault = markup.stylesheet_fault(text)
    if fault is not None:
        raise refused(faults.wrong_format(fault))
    return text


Texts = Annotated[dict[str, str], Field(examples=[{"en": "Horses, tack and more"}])]
ChangedTexts = dict[str, str | None]
Accent = Annotated[
    str | None,
    Field(
        description="The colour of the loudest buttons. Texts on it are dark or white, and links "
        "have a shade of it that can be read. Null for the one that comes with the storefront.",
        examples=["#ffcc00"],
    ),
]
CONTACT = (
    "`open`: `GET /ads/{id}` has the contact of the ad's author. `hidden`: for other accounts it "
    "is empty; they write a message, or read the phone number by `POST /ads/{id}/phone`."
)
REGISTRATION = (
    "`open`: anyone may register. `invitation`: those with an invitation. `closed`: no one, by "
    "`POST /register`."
)


class Colors(Record):
    """The colours of the storefront."""

    accent: Accent


class UpdateSection(Record):
    """A section that the home page is to have."""

    kind: Annotated[
        str,
        OneOf(*SectionKind),
        Field(
            examples=["collection"],
            description="`categories`; `near`: ads near the place that the reader has chosen; "
            "`newest`: the newest ads; `collection`: those that `query` finds; `text`: `text`.",
        ),
    ]
    title: Annotated[
        dict[str, str], _by_language(LONGEST_TITLE), Field(examples=[{"en": "Free"}])
    ] = Field(default_factory=dict)
    """Its heading, by language. Empty for that of the storefront; a text may be without one."""
    query: Annotated[str, Field(max_length=QUERY_MAX_LENGTH, examples=["priceType=free"])] = ""
    """The query of `GET /ads` of a collection, without `?`."""
    text: Annotated[
        dict[str, str], _by_language(LONGEST_WELCOME, as_paragraphs), Field(examples=[{}])
    ] = Field(default_factory=dict)
    """A text, by language, with its line breaks."""


class SiteSection(UpdateSection):
    """A section of the home page."""

    model_config = ANSWERED


NEWEST = {"kind": "newest", "title": {}, "query": "", "text": {}}


class SiteTexts(Record):
    """Texts of the site, by language tag (BCP 47)."""

    model_config = ANSWERED

    headline: Texts = Field(default_factory=dict)
    """The line at the top of the home page. Empty for the storefront's own."""
    welcome: Texts = Field(default_factory=dict)
    """A text below the headline, with its line breaks."""
    banner: Texts = Field(default_factory=dict)
    """An announcement on every page."""

    def texts(self) -> dict[str, dict[str, str]]:
        return {name: getattr(self, name) for name in SiteTexts.model_fields}


class SiteLook(SiteTexts):
    """What every page of the site shows."""

    logo: Annotated[
        str | None, Field(examples=["/images/0f8fad5bd9cb469fa16570867728950e.png"])
    ] = None
    """The path of the logo, a picture. Null without one, and for a file of the environment."""
    icon: Annotated[
        str | None, Field(examples=["/images/7c9e6679742540de944be07fc1f90ae7.png"])
    ] = None
    """The path of the icon, a square PNG of 512 pixels. Null for the storefront's own."""
    sections: Annotated[list[SiteSection], Field(examples=[[NEWEST]])] = Field(default_factory=list)
    """The sections of the home page, in their order. Empty for the storefront's own."""


class SiteFeatures(Record):
    """What the site offers. Of what it does without, lists are empty, deletions work, and all else
    is refused with 403 `feature-off`.
    """

    comments: Annotated[bool, Field(examples=[True])]
    """Public comments on ads."""
    offers: Annotated[bool, Field(examples=[True])]
    """Offers of a price, in conversations."""
    conversations: Annotated[bool, Field(examples=[True])]
    """Messages to the author of an ad."""
    phone: Annotated[bool, Field(examples=[True])]
    """Phone numbers of authors."""
    map: Annotated[bool, Field(examples=[True])]
    """Maps of ads."""
    push: Annotated[bool, Field(examples=[True])]
    """Notifications in browsers."""
    searches: Annotated[bool, Field(examples=[True])]
    """Saved searches."""


PLACE = "Where its links are: at the foot of every page, in the menu, or on no page."
TITLE = Annotated[dict[str, str], Field(examples=[{"en": "Terms", "de": "Bedingungen"}])]
PAGE_TEXT = Annotated[dict[str, str], Field(examples=[{"en": "Be *kind*.", "de": "Sei *nett*."}])]


class PageLink(Record):
    """A page of the site, such as the imprint, at `/pages/{slug}`."""

    slug: Annotated[str, Field(examples=["terms"])]
    """The page's name in addresses."""
    title: TITLE
    """Its title, by language."""
    place: Annotated[str, OneOf(*PagePlace), Field(examples=["footer"], description=PLACE)]


class SitePage(PageLink):
    """A page of the site as administrators write it."""

    text: PAGE_TEXT
    """Its text in Markdown, by language. HTML in it is shown as text."""
    position: Annotated[int, Field(examples=[1])]
    """Its place among the pages: lower ones come first."""
    version: Annotated[int, Field(examples=[2])]
    """The version that was published last."""


class SitePages(Record):
    """The pages that administrators have written."""

    results: list[SitePage]
    """In their order."""


class SavePage(Record):
    """A page of the site."""

    title: Annotated[TITLE, _by_language(LONGEST_TITLE)]
    """Its title, by language: at least one."""
    text: Annotated[PAGE_TEXT, _by_language(LONGEST_PAGE, as_paragraphs)]
    """Its text in Markdown, in the same languages."""
    place: Annotated[str, OneOf(*PagePlace), Field(examples=["footer"], description=PLACE)] = (
        PagePlace.FOOTER
    )
    position: Annotated[int, Field(ge=0, le=1000, examples=[1])] = 0
    """Its place among the pages: lower ones come first."""


class SiteMembers(SiteLook):
    """What administrators may set and everyone may see."""

    name: Annotated[str, Field(examples=["adsvc"])]
    """The site's name."""
    currency: Annotated[str, Field(examples=["EUR"])]
    """The currency of all prices (ISO 4217)."""
    price_decimals: Annotated[int, Field(examples=[0])]
    """How many digits of a price are behind the decimal mark. Prices are integers in the smallest
    unit: with 2, 1250 is 12.50."""
    languages: Annotated[list[str], Field(examples=[["en", "de"]])]
    """Languages of pages, mails and names in categories (BCP 47), the site's own first."""
    contact: Annotated[
        str, OneOf(*ContactVisibility), Field(examples=["open"], description=CONTACT)
    ]
    registration: Annotated[
        str, OneOf(*RegistrationMode), Field(examples=["closed"], description=REGISTRATION)
    ]
    colors: Colors
    """Its colours."""
    features: SiteFeatures
    """What it offers."""


class SiteProvider(Record):
    """An OpenID provider that people may sign in with, at `GET /login/oidc/{provider}`."""

    id: Annotated[str, Field(examples=["example"])]
    """Its id, for the address."""
    name: Annotated[str, Field(examples=["Example ID"])]
    """Its name, for the button."""


class SiteTerms(Record):
    """The terms that accounts accept."""

    page: Annotated[str, Field(examples=["terms"])]
    """The slug of their page."""
    version: Annotated[int, Field(examples=[2])]
    """The version in force."""


class Site(SiteMembers):
    """The site's name, texts, currency, languages and limits."""

    providers: list[SiteProvider]
    """What people may sign in with instead of a password. Mostly empty."""
    pages: list[PageLink]
    """The pages that administrators have written, in their order."""
    terms: SiteTerms | None
    """What new accounts accept by `acceptedTerms`, and others by `POST /users/me/terms` after each
    new version. Null without terms."""

    push_key: Annotated[
        str | None,
        Field(
            examples=[
                (
                    "BKsnn7b1A7Nc0wJ1o3rrqFVYZgVFhuLwRNCwgCtPJ6n1"
                    "Yb9lW0gjTzyyDRO0M9d2YDhcAbBgT7-8N8kBKtBXk2E"
                )
            ]
        ),
    ]
    """The site's public key for Web Push, in base64url: the `applicationServerKey` of a browser's
    subscription. Null while it is not known."""
    limits: SiteLimits
    """The limits on what clients send."""
    plans: Annotated[
        dict[str, SitePlan],
        Field(examples=[{"standard": STANDARD_LIMITS}]),
    ]
    """The limits of each plan, by its name. Accounts have `standard` unless an administrator gave
    them another one; `GET /users/me/limits` says what is left."""
    version: Annotated[str, Field(examples=[API_VERSION])]
    """The version of the interface, as in the header `Adsvc-Version`: `0.3.0`, or `0.3.0-dev`
    before that release."""


class Analytics(Record):
    """Scripts of others that every page loads, to count visits."""

    origins: Annotated[
        list[Annotated[str, Field(max_length=200, pattern=SECURE_ORIGIN)]],
        Field(min_length=1, max_length=MOST_ORIGINS, examples=[["https://plausible.io"]]),
    ]
    """Where scripts may come from and send to."""
    snippet: Annotated[
        str,
        Field(
            max_length=2048,
            examples=[
                (
                    '<script defer data-domain="ads.example.com" src="https://plausible.io/js/script.js">'
                    "</script>"
                )
            ],
        ),
    ]
    """Script elements with an address of these origins in `src`, `async`, `defer` and `data-*`, and
    without content."""


def _analytics(sent: Analytics) -> Analytics:
    fault = markup.script_fault(sent.snippet, sent.origins)
    if fault is not None:
        raise refused(faults.wrong_format(fault))
    return sent


class AdministeredSite(SiteMembers):
    """What administrators may set of the site, with the values in force."""

    css: Annotated[str, Field(examples=[".hero { text-align: start; }"])]
    """Style rules for every page of the storefront, behind its own."""

    analytics: Analytics | None = None
    """Scripts of others. Null for none."""
    embed_origins: Annotated[list[str], Field(examples=[["https://blog.example.com"]])]
    """The origins whose pages may have `GET /embed`, a list of ads, in a frame."""

    terms_page: Annotated[str | None, Field(examples=["terms"])] = None
    """The page that accounts have to accept. Null for none."""

    country: Annotated[str | None, Field(examples=["DE"])]
    """The country of phone numbers without a country code (ISO 3166-1). Null for none."""
    fixed: Annotated[list[str], Field(examples=[["currency"]])]
    """The members that the environment of the service sets: a change of them is refused."""


class UpdateColors(Record):
    """Other colours of the storefront."""

    accent: Annotated[Colour | None, Field(examples=["#ffcc00"])] = absent()
    """Of the loudest buttons. Null for the one that comes with the storefront."""


class UpdateSite(MergePatch):
    """Changes of the site: at least one member. Null brings a default back."""

    name: (
        Annotated[str, LINE, Field(min_length=1, max_length=LONGEST_NAME, examples=["Horses"])]
        | None
    ) = absent()
    """The site's name."""
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$", examples=["CHF"])] | None = absent()
    """The currency of all prices (ISO 4217). Prices are not converted."""
    price_decimals: (
        Annotated[
            int, Field(strict=True, ge=0, le=3), AfterValidator(_decimals), Field(examples=[2])
        ]
        | None
    ) = absent()
    """How many digits of a price are behind the decimal mark: 0, 2 or 3. Refused while there are
    ads."""
    country: Annotated[str, Field(pattern="^[A-Z]{2}$", examples=["CH"])] | None = absent()
    """The country of phone numbers without a country code (ISO 3166-1)."""
    languages: (
        Annotated[
            list[Annotated[str, Field(pattern=f"^{LANGUAGE.pattern}$")]],
            Field(min_length=1, max_length=MOST_LANGUAGES, examples=[["de", "en"]]),
        ]
        | None
    ) = absent()
    """The languages of the site, the default first. The service has texts in `en`, `de` and
    `ru`."""
    contact: Annotated[
        str,
        OneOf(*ContactVisibility),
        may_be_absent,
        Field(examples=["hidden"], description=CONTACT),
    ] = absent()
    registration: Annotated[
        str,
        OneOf(*RegistrationMode),
        may_be_absent,
        Field(examples=["closed"], description=REGISTRATION),
    ] = absent()
    headline: (
        Annotated[
            ChangedTexts, _by_language(LONGEST_LINE), Field(examples=[{"de": "Rund ums Pferd"}])
        ]
        | None
    ) = absent()
    """The line at the top of the home page; null removes a language."""
    welcome: (
        Annotated[
            ChangedTexts,
            _by_language(LONGEST_WELCOME, as_paragraphs),
            Field(examples=[{"de": "Willkommen!"}]),
        ]
        | None
    ) = absent()
    """A text below the headline."""
    banner: (
        Annotated[ChangedTexts, _by_language(LONGEST_LINE), Field(examples=[{"de": "Neu: Boxen"}])]
        | None
    ) = absent()
    """An announcement on every page."""
    sections: (
        Annotated[
            list[UpdateSection], Field(max_length=MOST_SECTIONS, examples=[[{"kind": "newest"}]])
        ]
        | None
    ) = absent()
    """The sections of the home page, in their order."""
    colors: UpdateColors | None = absent()
    """Other colours."""
    css: (
        Annotated[
            str,
            Field(max_length=LARGEST_CSS),
            AfterValidator(_css),
            Field(examples=[".hero { text-align: start; }"]),
        ]
        | None
    ) = absent()
    """Style rules for every page of the storefront. They load nothing from elsewhere."""
    analytics: Annotated[Analytics, AfterValidator(_analytics)] | None = absent()
    """Scripts of others, which every page loads. Null for none."""
    embed_origins: (
        Annotated[
            list[Annotated[str, Field(max_length=200, pattern=ORIGIN)]],
            Field(max_length=MOST_ORIGINS, examples=[["https://blog.example.com"]]),
        ]
        | None
    ) = absent()
    """The origins whose pages may have `GET /embed`, a list of ads, in a frame."""
    terms_page: Annotated[str, Field(max_length=60, examples=["terms"])] | None = absent()
    """The slug of a page that accounts have to accept: new ones when they are made, others before
    their next change, and again after each `POST /admin/pages/{slug}/publish`."""
    features: (
        Annotated[
            dict[Annotated[str, OneOf(*Feature)], Annotated[bool, Field(strict=True)]],
            Field(examples=[{"comments": False}]),
        ]
        | None
    ) = absent()
    """What the site offers; others stay as they are."""


class SiteChange(Record):
    """A change of the site."""

    id: Annotated[int, Field(examples=[3])]
    """The change's id."""
    at: Annotated[Milliseconds, moment("When it was made")]
    actor: Annotated[str, Field(examples=["1"])]
    """Who made it: the id of an account, or `operator` for a command."""
    before: Annotated[dict[str, Any], Field(examples=[{"name": None}])]
    """The members that changed, as they were. Null is the default."""
    after: Annotated[dict[str, Any], Field(examples=[{"name": "Horses"}])]
    """The same members as they became."""


class SiteChanges(Record):
    """A page of the site's history."""

    results: list[SiteChange]
    """The newest first."""
    next: NextCursor


# What is empty is as if it were not there.
WRITTEN = AfterValidator(lambda texts: {tag: text for tag, text in texts.items() if text})


class UpdateMail(Record):
    """The texts of a mail. The built-in ones are in the languages that have none."""

    subject: Annotated[
        ChangedTexts,
        _by_language(LONGEST_LINE),
        WRITTEN,
        Field(examples=[{"en": "Welcome to {site}"}]),
    ] = Field(default_factory=dict)
    """The subject."""
    intro: Annotated[
        ChangedTexts,
        _by_language(LONGEST_WELCOME, as_paragraphs),
        WRITTEN,
        Field(examples=[{"en": "Good to see you at {site}."}]),
    ] = Field(default_factory=dict)
    """The beginning, in place of the first paragraph."""


class MailTexts(Record):
    """The texts of mails of one kind that administrators have written."""

    model_config = ANSWERED

    kind: Annotated[str, OneOf(*NotificationType, *AccountMail), Field(examples=["verify"])]
    """What the mail is about: a notification as in the preferences, `verify` (a mail address),
    `reset` (a password), or `login` (from a new place)."""
    subject: Texts = Field(default_factory=dict)
    """The subject by language. The built-in one is in the others."""
    intro: Texts = Field(default_factory=dict)
    """The beginning by language, in place of the first paragraph."""
    placeholders: Annotated[list[str], Field(examples=[["site", "subject", "hours"]])]
    """The names that both may have in braces. `subject` is the built-in subject."""


class MailTextsList(Record):
    """The texts of all kinds of mails."""

    results: list[MailTexts]
    """All kinds."""


class CreateInvitation(Record):
    """A new invitation to register."""

    uses: Annotated[int, Field(ge=1, le=10_000, examples=[5])] = 1
    """How many accounts it is good for."""
    expires_at: Annotated[
        int | None, Field(ge=0, le=LATEST, examples=[1924991999000], strict=True)
    ] = None
    """When it ends, in milliseconds since 1970-01-01T00:00Z. Null if it does not."""


class SiteInvitation(Record):
    """An invitation to register."""

    id: Annotated[int, Field(examples=[4])]
    """The invitation's id."""
    created_at: CreatedAt
    uses: Annotated[int, Field(examples=[5])]
    """How many accounts it is good for."""
    used: Annotated[int, Field(examples=[2])]
    """How many accounts were made with it."""
    expires_at: Milliseconds | None
    """When it ends, in milliseconds since 1970-01-01T00:00Z. Null if it does not."""


class CreatedInvitation(SiteInvitation):
    """A new invitation, with its code."""

    code: Annotated[str, Field(examples=["kZ3vQ9sX2bTn7YwR"])]
    """What `POST /register` takes as `invitation`. It cannot be read again."""


class SiteInvitations(Record):
    """The invitations of the site."""

    results: list[SiteInvitation]
    """The newest first, at most 200."""
