"""Login, tokens, recovery by mail, and second factors.

Records about passkeys have the members of Web Authentication, Level 3, §5.1.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from adsvc.enums import StarterTree
from adsvc.kit.records import (
    ANSWERED,
    TRIMMED,
    CreatedAt,
    Milliseconds,
    OneOf,
    Record,
    absent,
    may_be_absent,
)
from adsvc.schemas import base
from adsvc.schemas.base import (
    ConfirmingPassword,
    CurrentPassword,
    ExistingPassword,
    FirstName,
    KeyName,
    LastName,
    Password,
    Phone,
    UpTo,
    Username,
)
from adsvc.schemas.site import UpdateSite

# A recovery code with its hyphens, and some room for spaces.
CODE_MAX_LENGTH = 40

Code = Annotated[
    str,
    Field(
        min_length=1,
        max_length=CODE_MAX_LENGTH,
        description="A code of the authenticator app, or a recovery code. Spaces, hyphens and case "
        "do not matter. Each counts once.",
        examples=["492039"],
    ),
]


class CreateTotp(Record):
    """The confirmation that an authenticator app is to be set up."""

    current_password: ConfirmingPassword = absent()
    code: Annotated[
        Code,
        may_be_absent,
        Field(description="Replaces an app that is set up: one of its codes, or a recovery code."),
    ] = absent()


class CreatedTotp(Record):
    """What the authenticator app needs. It is returned only here, and counts once confirmed."""

    secret: Annotated[str, Field(examples=["JBSWY3DPEHPK3PXP"])]
    """The shared secret in base 32, for typing."""
    uri: Annotated[
        str,
        Field(
            examples=[
                "otpauth://totp/adsvc:anna%40example.com?digits=6&secret=JBSWY3DPEHPK3PXP&issuer=adsvc"
            ]
        ),
    ]
    """The same as an `otpauth://` address, for a QR code."""


class ConfirmTotp(Record):
    """A first code of the authenticator app."""

    code: Code


class ConfirmedTotp(Record):
    """Codes for when the authenticator app is lost. They are returned only here."""

    recovery_codes: Annotated[list[str], Field(examples=[["QX7B-2MZK-LT4N-6WSD"]])]
    """Ten codes; each stands in once for a code of the app."""


class DeleteTotp(Record):
    """The confirmation that the authenticator app is to be removed."""

    current_password: ConfirmingPassword = absent()
    code: Code


class SecondFactor(Record):
    """What completes a login."""

    challenge: Annotated[
        str, Field(min_length=1, examples=["eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luK2p3dCJ9.e30.x"])
    ]
    """That of the refused login."""
    code: Code


def _base64url(what: str, example: str, longest: int | None = None) -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(description=f"{what}, in base64url.", examples=[example], max_length=longest)


# Characters of base64url that authenticators and browsers send at most: an id of 1,023 bytes (Web
# Authentication, Level 3, §4), a handle of 64; signatures of ML-DSA-87 have 4,627 bytes, and
# attestations of TPMs about as many.
LONGEST_ID = 1364
LONGEST_HANDLE = 88
LONGEST_CLIENT_DATA = 4096
LONGEST_AUTHENTICATOR_DATA = 8192
LONGEST_SIGNATURE = 8192
LONGEST_ATTESTATION = 16384


Kind = Annotated[Literal["public-key"], Field(description="The kind of credential.")]


class BeginPasskey(Record):
    """The confirmation that a passkey is to be added."""

    current_password: Annotated[
        CurrentPassword,
        may_be_absent,
        Field(
            description="The account's password. It may be left out within five minutes of the "
            "login, or of the proof of a second factor."
        ),
    ] = absent()


class RelyingParty(Record):
    """The site that a passkey is for."""

    id: Annotated[str, Field(examples=["ads.example.com"])]
    """Its host."""
    name: Annotated[str, Field(examples=["adsvc"])]
    """Its name."""


class PasskeyUser(Record):
    """Whose passkey it is, as the authenticator shows it."""

    id: Annotated[str, _base64url("The account's handle", "AAAAAAAAAAc")]
    name: Annotated[str, Field(examples=["anna@example.com"])]
    """The user name."""
    display_name: Annotated[str, Field(examples=["anna@example.com"])]
    """The same."""


class PasskeyAlgorithm(Record):
    """An algorithm that the service verifies."""

    type: Kind
    alg: Annotated[int, Field(examples=[-7])]
    """Its number in COSE's registry."""


class KnownPasskey(Record):
    """A passkey that the account has."""

    type: Kind
    id: Annotated[str, _base64url("The credential's id", "q83vEjRWeJA")]


class AuthenticatorSelection(Record):
    """What the authenticator must be able to do."""

    resident_key: Annotated[str, Field(examples=["required"])]
    """Always `required`."""
    require_resident_key: Annotated[bool, Field(examples=[True])]
    """Always true."""
    user_verification: Annotated[str, Field(examples=["required"])]
    """Always `required`."""


Challenge = Annotated[str, _base64url("What is to be signed, once, within five minutes", "ZXlK")]
Timeout = Annotated[int, Field(description="Milliseconds.", examples=[300000])]


class PasskeyCreationOptions(Record):
    """For `PublicKeyCredential.parseCreationOptionsFromJSON()`."""

    rp: RelyingParty
    """The site."""
    user: PasskeyUser
    """The account."""
    challenge: Challenge
    pub_key_cred_params: list[PasskeyAlgorithm]
    """The best first."""
    timeout: Timeout
    exclude_credentials: list[KnownPasskey]
    """An authenticator that has one of them adds none."""
    authenticator_selection: AuthenticatorSelection
    """Which authenticators may be used."""
    attestation: Annotated[str, Field(examples=["none"])]
    """Always `none`."""


class PasskeyRequestOptions(Record):
    """For `PublicKeyCredential.parseRequestOptionsFromJSON()`."""

    challenge: Challenge
    timeout: Timeout
    rp_id: Annotated[str, Field(examples=["ads.example.com"])]
    """The site's host."""
    user_verification: Annotated[str, Field(examples=["required"])]
    """Always `required`."""


class PasskeyAttestation(Record):
    """What the authenticator made."""

    client_data_json: Annotated[
        str,
        Field(alias="clientDataJSON"),
        _base64url("What the browser was told", "eyJ0", LONGEST_CLIENT_DATA),
    ]
    attestation_object: Annotated[str, _base64url("The credential", "o2NmbXQ", LONGEST_ATTESTATION)]


class CreatePasskey(Record):
    """`PublicKeyCredential.toJSON()` of a registration, with a name. Other members are ignored."""

    name: KeyName
    id: Annotated[str, _base64url("The credential's id", "q83vEjRWeJA", LONGEST_ID)]
    raw_id: Annotated[str, _base64url("The same", "q83vEjRWeJA", LONGEST_ID)]
    type: Kind
    response: PasskeyAttestation
    """The authenticator's response."""


class PasskeyAssertion(Record):
    """What the authenticator signed."""

    client_data_json: Annotated[
        str,
        Field(alias="clientDataJSON"),
        _base64url("What the browser was told", "eyJ0", LONGEST_CLIENT_DATA),
    ]
    authenticator_data: Annotated[
        str, _base64url("What the authenticator knows", "SZYN", LONGEST_AUTHENTICATOR_DATA)
    ]
    signature: Annotated[str, _base64url("Its signature", "MEUC", LONGEST_SIGNATURE)]
    user_handle: Annotated[str, _base64url("The account's handle", "AAAAAAAAAAc", LONGEST_HANDLE)]


class PasskeyLogin(Record):
    """`PublicKeyCredential.toJSON()` of a login. Other members are ignored."""

    id: Annotated[str, _base64url("The credential's id", "q83vEjRWeJA", LONGEST_ID)]
    raw_id: Annotated[str, _base64url("The same", "q83vEjRWeJA", LONGEST_ID)]
    type: Kind
    response: PasskeyAssertion
    """The authenticator's response."""


class Passkey(Record):
    """A passkey of the caller."""

    id: Annotated[int, Field(examples=[5])]
    """The passkey's id."""
    name: Annotated[str, Field(examples=["Anna's phone"])]
    """Its name."""
    created_at: CreatedAt
    last_used_at: Milliseconds | None
    """When it last logged in, in milliseconds since 1970-01-01T00:00Z. Null before its first use.
    """


class Passkeys(Record):
    """The passkeys of the caller."""

    results: list[Passkey]
    """All passkeys, the newest first."""


ExistingUsername = Annotated[
    str,
    TRIMMED,
    UpTo("username", 1),
    Field(
        description="The account's user name, in upper or lower case. Spaces and invisible "
        "characters around it do not count.",
        examples=["anna@example.com"],
    ),
]


class Login(Record):
    """Credentials of an account.

    The lower limits on lengths do not apply: imported accounts may have shorter ones.
    """

    username: ExistingUsername
    password: Annotated[ExistingPassword, Field(examples=["correct horse battery"])]
    """The account's password."""


class NewAccount(Record):
    """What the site may want of a new account."""

    invitation: Annotated[str, Field(max_length=100, examples=["kZ3vQ9sX2bTn7YwR"])] = ""
    """The code of an invitation, where `registration` of `GET /site` is `invitation`."""
    accepted_terms: Annotated[int | None, Field(examples=[2], strict=True)] = None
    """The `version` of `terms` of `GET /site`, where there are any and the person accepts them."""


class Register(NewAccount):
    """A new account."""

    username: Username
    password: Password
    first_name: FirstName = ""
    last_name: LastName = ""
    phone: Phone = ""
    role: Literal["USER"] = "USER"
    """May be left out. Registration makes ordinary accounts only; any other value is refused."""


class SetUp(Register):
    """The first administrator and the site."""

    token: Annotated[
        str, Field(max_length=100, examples=["sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA"])
    ]
    """That of the link."""
    site: UpdateSite | None = None
    """Members of the site that are to differ from the defaults."""
    categories: Annotated[str, OneOf(*StarterTree), Field(examples=["animals"])] = "general"
    """The tree of categories to begin with; `empty` for none."""


class AcceptTerms(Record):
    """The terms that the caller accepts."""

    version: Annotated[int, Field(examples=[2], strict=True)]
    """That of `terms` of `GET /site`."""


class TokenPair(BaseModel):
    """The tokens of a session, with the member names of RFC 6749 §5.1."""

    model_config = ANSWERED

    access_token: Annotated[str, Field(examples=["eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.x"])]
    """Send it as `Authorization: Bearer <access_token>`."""
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - a scheme
    """The scheme of the access token."""
    refresh_token: Annotated[
        str, Field(examples=["3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
    ]
    """Renews the tokens once, at `POST /token`. A second use within ten seconds gets the same pair;
    a later one ends the session."""
    expires_in: Annotated[int, Field(examples=[900])]
    """Seconds until the access token expires."""


class TokenError(BaseModel):
    """A refusal in the format of OAuth 2.0 (RFC 6749 §5.2)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    error: Literal["invalid_request", "invalid_grant", "unsupported_grant_type"]
    """`invalid_grant`: the password or the refresh token is wrong, expired or used.
    `invalid_request`: the form is not valid."""
    error_description: Annotated[str, Field(examples=["The user name or the password is wrong."])]
    """The reason, for the client's developer."""


# Longer ones were never sent.
TOKEN_MAX_LENGTH = 200

LinkToken = Annotated[
    str,
    Field(
        min_length=1,
        max_length=TOKEN_MAX_LENGTH,
        description="The part of the mailed link after `#token=`. It works once, for a limited "
        "time.",
        examples=["sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA"],
    ),
]


class VerifyMail(Record):
    """The token that confirms a mail address."""

    token: LinkToken


EndKeys = Annotated[
    bool,
    Field(
        examples=[True],
        description="Whether all keys of the account are deleted, too, and its webhooks disabled. "
        "They outlive its sessions and passwords.",
        strict=True,
    ),
]


class ReportLogin(Record):
    """The token of a mail about a login."""

    token: LinkToken
    end_keys: EndKeys = False


class ForgotPassword(Record):
    """The account whose password was forgotten."""

    username: ExistingUsername


class ResetPassword(Record):
    """A new password in the place of a forgotten one."""

    token: LinkToken
    new_password: base.NewPassword
    end_keys: EndKeys = False
    code: Annotated[
        Code,
        may_be_absent,
        Field(
            description="Required of an account with an authenticator app: a code of it, or a "
            "recovery code."
        ),
    ] = absent()
