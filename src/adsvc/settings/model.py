import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, SettingsConfigDict

from adsvc.enums import STANDARD, ContactVisibility, SettingSource
from adsvc.errors import ConfigurationError
from adsvc.kit.addresses import both_ways, is_loopback
from adsvc.kit.settings.groups import ENVIRONMENT, DatabasePooling, PlatformSettings
from adsvc.kit.settings.validators import SECRET_MIN_BYTES
from adsvc.limits import Limits
from adsvc.settings.groups import (
    AccessSettings,
    AdEditors,
    AdSettings,
    ConversationSettings,
    ImageSettings,
    JobSettings,
    MailSettings,
    ModerationSettings,
    NotificationSettings,
    PlanLimits,
    RateLimitSettings,
    SearchSettings,
    SiteSettings,
    WebhookSettings,
    plan_limits,
)
from adsvc.settings.money import Money


class TermsVersion(NamedTuple):
    """A page of the site, by its slug, in a version."""

    page: str
    version: int


VARIABLE = re.compile("ADSVC_([A-Z0-9_]+)")
# Where the settings of the first process came from, for those that it starts.
SOURCES = "_ADSVC_SOURCES"
# The account in an address.
USERINFO = re.compile(r"(?<=://)[^/?#\s]*@")


# Pydantic takes fields from the last base first, and reports faults in that order.
class Settings(
    BaseSettings,
    SearchSettings,
    ImageSettings,
    MailSettings,
    JobSettings,
    NotificationSettings,
    WebhookSettings,
    RateLimitSettings,
    ConversationSettings,
    ModerationSettings,
    AdSettings,
    AccessSettings,
    PlatformSettings,
    SiteSettings,
    Limits,
):
    """Every field is the variable `ADSVC_` and its name in capitals."""

    model_config = SettingsConfigDict(frozen=True, **ENVIRONMENT)

    @model_validator(mode="after")
    def _ranges_are_not_empty(self) -> Self:
        names = Limits.model_fields
        ranges = [(name, name.replace("_min_", "_max_")) for name in names if "_min_" in name]
        for lower, upper in (*ranges, ("page_size_default", "page_size_max")):
            if getattr(self, lower) > getattr(self, upper):
                raise ValueError(f"ADSVC_{lower.upper()} is above ADSVC_{upper.upper()}")
        return self

    @model_validator(mode="after")
    def _something_can_listen(self) -> Self:
        if self.database_pooling is DatabasePooling.TRANSACTION and not self.database_listen_url:
            raise ValueError(
                "ADSVC_DATABASE_POOLING=transaction needs ADSVC_DATABASE_LISTEN_URL: a connection "
                "that is lent for a transaction cannot listen"
            )
        return self

    @model_validator(mode="after")
    def _mail_is_complete(self) -> Self:
        if self.smtp_url is not None and (self.mail_from is None or self.site_url is None):
            raise ValueError("ADSVC_SMTP_URL needs ADSVC_MAIL_FROM and ADSVC_SITE_URL")
        return self

    @model_validator(mode="after")
    def _development_stays_here(self) -> Self:
        if self.development and (self.smtp_url or not is_loopback(self.host)):
            raise ValueError(
                "ADSVC_DEVELOPMENT needs a loopback ADSVC_HOST, such as 127.0.0.1, and no "
                "ADSVC_SMTP_URL"
            )
        return self

    @model_validator(mode="after")
    def _contacts_are_hidden_from_all(self) -> Self:
        # The version of an ad, which those who may change it compare, is that of the whole record.
        if self.contact is ContactVisibility.HIDDEN and self.ad_editors is AdEditors.AUTHENTICATED:
            raise ValueError("ADSVC_CONTACT=hidden needs ADSVC_AD_EDITORS=author")
        return self

    @model_validator(mode="after")
    def _credentials_are_whole(self) -> Self:
        if (self.backup_s3_access_key_id is None) != (self.backup_s3_secret_access_key is None):
            raise ValueError(
                "ADSVC_BACKUP_S3_ACCESS_KEY_ID and ADSVC_BACKUP_S3_SECRET_ACCESS_KEY go together"
            )
        return self

    @model_validator(mode="after")
    def _pictures_are_elsewhere(self) -> Self:
        if self.site_url and self.image_redirect_url == f"{self.site_url}{self.root_path}/images":
            raise ValueError(
                "ADSVC_IMAGE_REDIRECT_URL leads back to /images, which would redirect again"
            )
        return self

    @property
    def search_nodes(self) -> Sequence[str]:
        """The addresses in `search_url`."""
        return () if self.search_url is None else self.search_url.get_secret_value().split(",")

    @property
    def plan_limits(self) -> Mapping[str, PlanLimits]:
        """The limits of each plan by name."""
        standard = PlanLimits(self.uploads_per_user, self.writes_per_user)
        return plan_limits(self.plans, standard)

    def limits_of(self, plan: str) -> PlanLimits:
        """Accounts with a plan that is no longer there are as those without one."""
        found = self.plan_limits
        return found.get(plan, found[STANDARD])

    @property
    def trusted_networks(self) -> list[str]:
        """The trusted proxies, with each address in all its notations."""
        return list(both_ways(self.trusted_proxies))

    @property
    def mail_dir(self) -> Path:
        """Where mails are written without a server."""
        return self.data_dir / "mail"

    @property
    def money(self) -> Money:
        return Money(self.currency, self.price_decimals)

    @property
    def link_base(self) -> str:
        """The base address of links in mails; never taken from a request."""
        return self.site_url or f"http://localhost:{self.port}"

    def picture_address(self, name: str) -> str:
        """Where browsers get the picture of that name in the end."""
        base = self.image_redirect_url or f"{self.link_base}{self.root_path}/images"
        return base.replace("{name}", name) if "{name}" in base else f"{base}/{name}"

    @property
    def image_redirect_origin(self) -> str | None:
        """Scheme and host of `image_redirect_url`."""
        return _origin(self.image_redirect_url)

    @property
    def map_tiles_origin(self) -> str | None:
        """Scheme and host of `map_tiles`."""
        return _origin(self.map_tiles)

    # The path of the site's icon, which no variable sets.
    site_icon: ClassVar[str | None] = None
    # What accounts have to accept.
    terms: ClassVar[TermsVersion | None] = None
    # What administrators have written of mails: by kind, `subject` or `intro`, and language.
    mail_texts: ClassVar[Mapping[str, Mapping[str, Mapping[str, str]]]] = {}

    def take(self, **values: object) -> None:
        """Changes the settings of the site while the process runs: administrators have set them,
        or have removed what they had set.
        """
        self.__dict__.update(values)

    def to_environment(self) -> dict[str, str]:
        """The variables from which another process reads the same settings.

        That process cannot see where they came from, so it gets that too.
        """

        def text(value: object) -> str:
            return value.get_secret_value() if isinstance(value, SecretStr) else _text(value)

        fields = type(self).model_fields
        values = {
            _variable(name): text(value)
            for name, value in self
            if name in fields and value is not None
        }
        return {**values, SOURCES: json.dumps(self.sources())}

    def sources(self) -> dict[str, str]:
        """The `SettingSource` of each setting that is not the default, by name."""
        inherited = os.environ.get(SOURCES)
        if inherited is not None:
            known: dict[str, str] = json.loads(inherited)
            return known
        variables = {name.upper() for name, value in os.environ.items() if value}
        file = DotEnvSettingsSource(Settings).env_vars
        in_file = {name.upper() for name, value in file.items() if value}
        return {
            name: SettingSource.ENVIRONMENT
            if _variable(name) in variables
            else SettingSource.FILE
            if _variable(name) in in_file
            else SettingSource.COMMAND
            for name in sorted(self.model_fields_set)
        }

    def listed(self) -> list[dict[str, str | None]]:
        """All settings by name, as `schemas.console.Setting`, without secrets."""
        sources = self.sources()
        return [
            {
                "name": _variable(name),
                "value": _shown(getattr(self, name)),
                "default": _shown(field.get_default(call_default_factory=True, validated_data={})),
                "source": sources.get(name, SettingSource.DEFAULT),
            }
            for name, field in sorted(Settings.model_fields.items())
        ]

    def required_jwt_secret(self) -> str:
        if self.jwt_secret is None:
            raise ConfigurationError(
                "ADSVC_JWT_SECRET is not set. With a database of your own it must be, to at least "
                f"{SECRET_MIN_BYTES} bytes of your own making: openssl rand -base64 48"
            )
        return self.jwt_secret.get_secret_value()

    def jwt_secrets(self) -> tuple[str, ...]:
        """The secret in force, which signs, and behind it the one that is accepted too."""
        previous = self.jwt_secret_previous
        accepted = () if previous is None else (previous.get_secret_value(),)
        return (self.required_jwt_secret(), *accepted)


def _variable(name: str) -> str:
    return f"ADSVC_{name.upper()}"


def _origin(address: str | None) -> str | None:
    return None if address is None else "/".join(address.split("/")[:3])


def _text(value: object) -> str:
    """As people write it in the environment."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    # A comma alone is an empty list; an empty variable would be the default.
    return ",".join(value) or "," if isinstance(value, tuple) else str(value)


def _shown(value: object) -> str | None:
    """As text; None for a secret. Accounts in addresses are left out."""
    if value is None or isinstance(value, SecretStr):
        return None
    return USERINFO.sub("", "" if value == () else _text(value))


def load_settings(**overrides: object) -> Settings:
    """The settings in force, or a `ConfigurationError` that names each variable at fault.

    Overrides take precedence over the environment; those that are None are ignored.
    """
    given: dict[str, Any] = {key: value for key, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        faults = "\n  ".join(_faults_of(error))
        raise ConfigurationError(f"The settings are not valid:\n  {faults}") from None


def load_what_is_valid() -> tuple[Settings, list[str], frozenset[str]]:
    """For `adsvc doctor`: settings with defaults for invalid fields, the faults, those fields."""
    faults: list[str] = []
    defaults: dict[str, Any] = {}
    while True:
        try:
            return Settings(**defaults), faults, frozenset(defaults)
        except ValidationError as error:
            messages = _faults_of(error)
            # Faults of several settings name each of them, as those of one do.
            names = {name.lower() for name in VARIABLE.findall("\n".join(messages))}
            names = (names & Settings.model_fields.keys()) - defaults.keys()
            if not names:
                raise
            faults += messages
            for name in names:
                field = Settings.model_fields[name]
                defaults[name] = field.get_default(call_default_factory=True, validated_data={})


def _faults_of(error: ValidationError) -> list[str]:
    return [
        f"ADSVC_{'_'.join(str(part) for part in fault['loc']).upper()}: {fault['msg']}"
        if fault["loc"]
        else fault["msg"].removeprefix("Value error, ")
        for fault in error.errors(include_url=False, include_input=False)
    ]
