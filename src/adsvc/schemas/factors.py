"""Second factors."""

from typing import Annotated

from pydantic import Field

from adsvc.schemas.base import CurrentPassword, Record, absent, may_be_absent

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

    current_password: CurrentPassword
    code: Annotated[
        Code,
        may_be_absent,
        Field(description="Replaces an app that is set up: one of its codes, or a recovery code."),
    ] = absent()


class CreatedTotp(Record):
    """What the authenticator app needs. It is returned only here, and counts once confirmed."""

    secret: Annotated[
        str,
        Field(
            description="The shared secret in base 32, for typing.",
            examples=["JBSWY3DPEHPK3PXP"],
        ),
    ]
    uri: Annotated[
        str,
        Field(
            description="The same as an `otpauth://` address, for a QR code.",
            examples=[
                "otpauth://totp/adsvc:anna%40example.com?digits=6&secret=JBSWY3DPEHPK3PXP&issuer=adsvc"
            ],
        ),
    ]


class ConfirmTotp(Record):
    """A first code of the authenticator app."""

    code: Code


class ConfirmedTotp(Record):
    """Codes for when the authenticator app is lost. They are returned only here."""

    recovery_codes: Annotated[
        list[str],
        Field(
            description="Ten codes; each stands in once for a code of the app.",
            examples=[["QX7B-2MZK-LT4N-6WSD"]],
        ),
    ]


class DeleteTotp(Record):
    """The confirmation that the authenticator app is to be removed."""

    current_password: CurrentPassword
    code: Code


class SecondFactor(Record):
    """What completes a login."""

    challenge: Annotated[
        str,
        Field(
            min_length=1,
            description="That of the refused login.",
            examples=["eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luK2p3dCJ9.e30.x"],
        ),
    ]
    code: Code
