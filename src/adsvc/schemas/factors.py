"""Second factors.

Records about passkeys have the members of Web Authentication, Level 3, §5.1.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from adsvc.kit.records import CreatedAt, Milliseconds, Record, absent, may_be_absent
from adsvc.schemas.base import ConfirmingPassword, CurrentPassword, KeyName

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
