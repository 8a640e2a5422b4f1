from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.authenticator_selection import AuthenticatorSelection
    from ..models.known_passkey import KnownPasskey
    from ..models.passkey_algorithm import PasskeyAlgorithm
    from ..models.passkey_user import PasskeyUser
    from ..models.relying_party import RelyingParty


T = TypeVar("T", bound="PasskeyCreationOptions")


@_attrs_define
class PasskeyCreationOptions(Record):
    """For `PublicKeyCredential.parseCreationOptionsFromJSON()`.

    Attributes:
        rp (RelyingParty): The site that a passkey is for.
        user (PasskeyUser): Whose passkey it is, as the authenticator shows it.
        challenge (str): What is to be signed, once, within five minutes, in base64url.
        pub_key_cred_params (list[PasskeyAlgorithm]): The best first.
        timeout (int): Milliseconds.
        exclude_credentials (list[KnownPasskey]): An authenticator that has one of them adds none.
        authenticator_selection (AuthenticatorSelection): What the authenticator must be able to do.
        attestation (str): Always `none`.
    """

    rp: RelyingParty
    user: PasskeyUser
    challenge: str
    pub_key_cred_params: list[PasskeyAlgorithm]
    timeout: int
    exclude_credentials: list[KnownPasskey]
    authenticator_selection: AuthenticatorSelection
    attestation: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        rp = self.rp.to_dict()

        user = self.user.to_dict()

        challenge = self.challenge

        pub_key_cred_params = []
        for pub_key_cred_params_item_data in self.pub_key_cred_params:
            pub_key_cred_params_item = pub_key_cred_params_item_data.to_dict()
            pub_key_cred_params.append(pub_key_cred_params_item)

        timeout = self.timeout

        exclude_credentials = []
        for exclude_credentials_item_data in self.exclude_credentials:
            exclude_credentials_item = exclude_credentials_item_data.to_dict()
            exclude_credentials.append(exclude_credentials_item)

        authenticator_selection = self.authenticator_selection.to_dict()

        attestation = self.attestation

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "rp": rp,
                "user": user,
                "challenge": challenge,
                "pubKeyCredParams": pub_key_cred_params,
                "timeout": timeout,
                "excludeCredentials": exclude_credentials,
                "authenticatorSelection": authenticator_selection,
                "attestation": attestation,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.authenticator_selection import AuthenticatorSelection  # noqa: PLC0415
        from ..models.known_passkey import KnownPasskey  # noqa: PLC0415
        from ..models.passkey_algorithm import PasskeyAlgorithm  # noqa: PLC0415
        from ..models.passkey_user import PasskeyUser  # noqa: PLC0415
        from ..models.relying_party import RelyingParty  # noqa: PLC0415

        d = dict(src_dict)
        rp = RelyingParty.from_dict(d.pop("rp"))

        user = PasskeyUser.from_dict(d.pop("user"))

        challenge = d.pop("challenge")

        pub_key_cred_params = []
        _pub_key_cred_params = d.pop("pubKeyCredParams")
        for pub_key_cred_params_item_data in _pub_key_cred_params:
            pub_key_cred_params_item = PasskeyAlgorithm.from_dict(pub_key_cred_params_item_data)

            pub_key_cred_params.append(pub_key_cred_params_item)

        timeout = d.pop("timeout")

        exclude_credentials = []
        _exclude_credentials = d.pop("excludeCredentials")
        for exclude_credentials_item_data in _exclude_credentials:
            exclude_credentials_item = KnownPasskey.from_dict(exclude_credentials_item_data)

            exclude_credentials.append(exclude_credentials_item)

        authenticator_selection = AuthenticatorSelection.from_dict(d.pop("authenticatorSelection"))

        attestation = d.pop("attestation")

        passkey_creation_options = cls(
            rp=rp,
            user=user,
            challenge=challenge,
            pub_key_cred_params=pub_key_cred_params,
            timeout=timeout,
            exclude_credentials=exclude_credentials,
            authenticator_selection=authenticator_selection,
            attestation=attestation,
        )

        passkey_creation_options.additional_properties = d
        return passkey_creation_options

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
