"""Signing in with an OpenID provider."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from adsvc.kit.records import LINE, CreatedAt, Milliseconds, Record, absent, may_be_absent
from adsvc.schemas.auth import Code, LinkToken, NewAccount
from adsvc.schemas.base import ConfirmingPassword, ExistingPassword

PROVIDER = "[a-z0-9-]{1,32}"
LONGEST_NAME, LONGEST_ISSUER, LONGEST_SECRET = 40, 500, 1000

Name = Annotated[
    str,
    LINE,
    Field(
        min_length=1,
        max_length=LONGEST_NAME,
        description="The provider's name, for the button.",
        examples=["Example ID"],
    ),
]
Issuer = Annotated[
    str,
    Field(
        max_length=LONGEST_ISSUER,
        description="Its issuer, exactly as its metadata have it (OpenID Connect Discovery 1.0).",
        examples=["https://id.example.com"],
    ),
]
ClientId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_SECRET,
        description="The site's id at the provider.",
        examples=["adsvc"],
    ),
]


class PutProvider(Record):
    """An OpenID provider, as the site is registered there."""

    name: Name
    issuer: Issuer
    client_id: ClientId
    client_secret: Annotated[
        str,
        may_be_absent,
        Field(
            min_length=1,
            max_length=LONGEST_SECRET,
            description="The site's secret at the provider. It is stored encrypted and never "
            "returned. Left out, the one before stays.",
            examples=["vJ0hD9yT4m"],
        ),
    ] = absent()


class IdentityProvider(Record):
    """An OpenID provider, without the secret."""

    id: Annotated[str, Field(examples=["example"])]
    """Its id."""
    name: Name
    issuer: Issuer
    client_id: ClientId
    redirect_uri: Annotated[
        str, Field(examples=["https://ads.example.com/login/oidc/example/callback"])
    ]
    """What has to be registered at the provider: where people come back to."""


class IdentityProviders(Record):
    """The OpenID providers of the site."""

    results: list[IdentityProvider]
    """All of them, by name."""


CODE = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        examples=["sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA"],
    ),
]


class ProviderLogin(NewAccount):
    """What completes a login at a provider."""

    code: CODE
    """The part of the address after `#code=`. It counts once, within ten minutes, in the browser
    that began the login."""


class LinkIdentity(Record):
    """The confirmation that a provider's person may use an account: its password with the
    `challenge`, or the `token` of the mail.
    """

    challenge: Annotated[CODE, may_be_absent] = absent()
    """That of the refused login. It counts once, within an hour, in the browser that began the
    login."""
    current_password: Annotated[
        ExistingPassword,
        may_be_absent,
        Field(description="The account's password.", examples=["correct horse battery"]),
    ] = absent()
    token: Annotated[
        LinkToken, may_be_absent, Field(examples=["q9Vb2mVt7K4bQ0mXyWn1uJ9oRk3eTAsD1cFW0Fhcp8Z"])
    ] = absent()
    """That of the mail, instead of both."""
    code: Annotated[
        Code,
        may_be_absent,
        Field(
            description="Required of an account with an authenticator app: a code of it, or a "
            "recovery code."
        ),
    ] = absent()


class AddIdentity(Record):
    """The code of a completed login at a provider, and the confirmation."""

    code: CODE
    """The part of the address after `#code=`. It counts once, within ten minutes, in the browser
    that began the login."""
    current_password: ConfirmingPassword = absent()


class Identity(Record):
    """What the account signs in with at a provider."""

    id: Annotated[int, Field(examples=[2])]
    """The identity's id."""
    provider: Annotated[str | None, Field(examples=["example"])]
    """The provider's id. Null if the site has it no more: then nobody signs in with it."""
    name: Annotated[str, Field(examples=["Example ID"])]
    """The provider's name, or else its issuer."""
    created_at: CreatedAt
    last_used_at: Milliseconds | None
    """When it last logged in, in milliseconds since 1970-01-01T00:00Z. Null before its first use.
    """


class Identities(Record):
    """How the account signs in with others."""

    results: Sequence[Identity]
    """All identities, the newest first."""
    has_password: Annotated[bool, Field(examples=[True])]
    """Whether the account has a password, too. `POST /password/forgot` sets one up."""
