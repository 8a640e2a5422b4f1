from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Record, Unset

T = TypeVar("T", bound="SiteLimits")


@_attrs_define
class SiteLimits(Record):
    """The limits in force on what clients send. Lengths are in characters, sizes in bytes.

    Attributes:
        username_min_length (int | Unset): Fewest characters of a user name.
        username_max_length (int | Unset): Most characters of a user name.
        password_min_length (int | Unset): Fewest characters of a password.
        password_max_length (int | Unset): Most characters of a password.
        name_max_length (int | Unset): Most characters of a first or last name.
        phone_min_length (int | Unset): Fewest characters of a phone number, which may also be empty.
        phone_max_length (int | Unset): Most characters of a phone number.
        phone_min_digits (int | Unset): Fewest digits of a phone number.
        phone_max_digits (int | Unset): Most digits of a phone number.
        title_min_length (int | Unset): Fewest characters of an ad's title, not counting spaces at both ends.
        title_max_length (int | Unset): Most characters of an ad's title, not counting spaces at both ends.
        description_min_length (int | Unset): Fewest characters of an ad's description.
        description_max_length (int | Unset): Most characters of an ad's description.
        place_min_length (int | Unset): Fewest characters of an ad's place, not counting spaces at both ends.
        place_max_length (int | Unset): Most characters of an ad's place, not counting spaces at both ends.
        price_max (int | Unset): Highest price, in the smallest unit of the site.
        comment_min_length (int | Unset): Fewest characters of a comment.
        comment_max_length (int | Unset): Most characters of a comment.
        message_min_length (int | Unset): Fewest characters of a message to another account.
        message_max_length (int | Unset): Most characters of a message to another account.
        rating_max_length (int | Unset): Most characters of a rating, and of the answer to it.
        report_max_length (int | Unset): Most characters of a report's text.
        statement_min_length (int | Unset): Fewest characters of a decision's explanation, and of an appeal.
        statement_max_length (int | Unset): Most characters of a decision's explanation, and of an appeal.
        reference_max_length (int | Unset): Most characters of the paragraph that a decision refers to.
        key_name_min_length (int | Unset): Fewest characters of an API key's name, not counting spaces at both ends.
        key_name_max_length (int | Unset): Most characters of an API key's name, not counting spaces at both ends.
        json_body_max_bytes (int | Unset): Most bytes of a JSON body, of a form at `/token` or `/revoke`, and of the
            part `properties`. At least 1024.
        image_max_bytes (int | Unset): Most bytes of an uploaded picture.
        image_max_pixels (int | Unset): Most pixels of an uploaded picture.
        ad_images_max (int | Unset): Most pictures of an ad, and of one upload.
        page_size_max (int | Unset): Most records on a page of ads, comments and other lists.
        page_size_default (int | Unset): Records on a page if the request has no `limit`.
    """

    username_min_length: int | Unset = UNSET
    username_max_length: int | Unset = UNSET
    password_min_length: int | Unset = UNSET
    password_max_length: int | Unset = UNSET
    name_max_length: int | Unset = UNSET
    phone_min_length: int | Unset = UNSET
    phone_max_length: int | Unset = UNSET
    phone_min_digits: int | Unset = UNSET
    phone_max_digits: int | Unset = UNSET
    title_min_length: int | Unset = UNSET
    title_max_length: int | Unset = UNSET
    description_min_length: int | Unset = UNSET
    description_max_length: int | Unset = UNSET
    place_min_length: int | Unset = UNSET
    place_max_length: int | Unset = UNSET
    price_max: int | Unset = UNSET
    comment_min_length: int | Unset = UNSET
    comment_max_length: int | Unset = UNSET
    message_min_length: int | Unset = UNSET
    message_max_length: int | Unset = UNSET
    rating_max_length: int | Unset = UNSET
    report_max_length: int | Unset = UNSET
    statement_min_length: int | Unset = UNSET
    statement_max_length: int | Unset = UNSET
    reference_max_length: int | Unset = UNSET
    key_name_min_length: int | Unset = UNSET
    key_name_max_length: int | Unset = UNSET
    json_body_max_bytes: int | Unset = UNSET
    image_max_bytes: int | Unset = UNSET
    image_max_pixels: int | Unset = UNSET
    ad_images_max: int | Unset = UNSET
    page_size_max: int | Unset = UNSET
    page_size_default: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        username_min_length = self.username_min_length

        username_max_length = self.username_max_length

        password_min_length = self.password_min_length

        password_max_length = self.password_max_length

        name_max_length = self.name_max_length

        phone_min_length = self.phone_min_length

        phone_max_length = self.phone_max_length

        phone_min_digits = self.phone_min_digits

        phone_max_digits = self.phone_max_digits

        title_min_length = self.title_min_length

        title_max_length = self.title_max_length

        description_min_length = self.description_min_length

        description_max_length = self.description_max_length

        place_min_length = self.place_min_length

        place_max_length = self.place_max_length

        price_max = self.price_max

        comment_min_length = self.comment_min_length

        comment_max_length = self.comment_max_length

        message_min_length = self.message_min_length

        message_max_length = self.message_max_length

        rating_max_length = self.rating_max_length

        report_max_length = self.report_max_length

        statement_min_length = self.statement_min_length

        statement_max_length = self.statement_max_length

        reference_max_length = self.reference_max_length

        key_name_min_length = self.key_name_min_length

        key_name_max_length = self.key_name_max_length

        json_body_max_bytes = self.json_body_max_bytes

        image_max_bytes = self.image_max_bytes

        image_max_pixels = self.image_max_pixels

        ad_images_max = self.ad_images_max

        page_size_max = self.page_size_max

        page_size_default = self.page_size_default

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if username_min_length is not UNSET:
            field_dict["usernameMinLength"] = username_min_length
        if username_max_length is not UNSET:
            field_dict["usernameMaxLength"] = username_max_length
        if password_min_length is not UNSET:
            field_dict["passwordMinLength"] = password_min_length
        if password_max_length is not UNSET:
            field_dict["passwordMaxLength"] = password_max_length
        if name_max_length is not UNSET:
            field_dict["nameMaxLength"] = name_max_length
        if phone_min_length is not UNSET:
            field_dict["phoneMinLength"] = phone_min_length
        if phone_max_length is not UNSET:
            field_dict["phoneMaxLength"] = phone_max_length
        if phone_min_digits is not UNSET:
            field_dict["phoneMinDigits"] = phone_min_digits
        if phone_max_digits is not UNSET:
            field_dict["phoneMaxDigits"] = phone_max_digits
        if title_min_length is not UNSET:
            field_dict["titleMinLength"] = title_min_length
        if title_max_length is not UNSET:
            field_dict["titleMaxLength"] = title_max_length
        if description_min_length is not UNSET:
            field_dict["descriptionMinLength"] = description_min_length
        if description_max_length is not UNSET:
            field_dict["descriptionMaxLength"] = description_max_length
        if place_min_length is not UNSET:
            field_dict["placeMinLength"] = place_min_length
        if place_max_length is not UNSET:
            field_dict["placeMaxLength"] = place_max_length
        if price_max is not UNSET:
            field_dict["priceMax"] = price_max
        if comment_min_length is not UNSET:
            field_dict["commentMinLength"] = comment_min_length
        if comment_max_length is not UNSET:
            field_dict["commentMaxLength"] = comment_max_length
        if message_min_length is not UNSET:
            field_dict["messageMinLength"] = message_min_length
        if message_max_length is not UNSET:
            field_dict["messageMaxLength"] = message_max_length
        if rating_max_length is not UNSET:
            field_dict["ratingMaxLength"] = rating_max_length
        if report_max_length is not UNSET:
            field_dict["reportMaxLength"] = report_max_length
        if statement_min_length is not UNSET:
            field_dict["statementMinLength"] = statement_min_length
        if statement_max_length is not UNSET:
            field_dict["statementMaxLength"] = statement_max_length
        if reference_max_length is not UNSET:
            field_dict["referenceMaxLength"] = reference_max_length
        if key_name_min_length is not UNSET:
            field_dict["keyNameMinLength"] = key_name_min_length
        if key_name_max_length is not UNSET:
            field_dict["keyNameMaxLength"] = key_name_max_length
        if json_body_max_bytes is not UNSET:
            field_dict["jsonBodyMaxBytes"] = json_body_max_bytes
        if image_max_bytes is not UNSET:
            field_dict["imageMaxBytes"] = image_max_bytes
        if image_max_pixels is not UNSET:
            field_dict["imageMaxPixels"] = image_max_pixels
        if ad_images_max is not UNSET:
            field_dict["adImagesMax"] = ad_images_max
        if page_size_max is not UNSET:
            field_dict["pageSizeMax"] = page_size_max
        if page_size_default is not UNSET:
            field_dict["pageSizeDefault"] = page_size_default

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        username_min_length = d.pop("usernameMinLength", UNSET)

        username_max_length = d.pop("usernameMaxLength", UNSET)

        password_min_length = d.pop("passwordMinLength", UNSET)

        password_max_length = d.pop("passwordMaxLength", UNSET)

        name_max_length = d.pop("nameMaxLength", UNSET)

        phone_min_length = d.pop("phoneMinLength", UNSET)

        phone_max_length = d.pop("phoneMaxLength", UNSET)

        phone_min_digits = d.pop("phoneMinDigits", UNSET)

        phone_max_digits = d.pop("phoneMaxDigits", UNSET)

        title_min_length = d.pop("titleMinLength", UNSET)

        title_max_length = d.pop("titleMaxLength", UNSET)

        description_min_length = d.pop("descriptionMinLength", UNSET)

        description_max_length = d.pop("descriptionMaxLength", UNSET)

        place_min_length = d.pop("placeMinLength", UNSET)

        place_max_length = d.pop("placeMaxLength", UNSET)

        price_max = d.pop("priceMax", UNSET)

        comment_min_length = d.pop("commentMinLength", UNSET)

        comment_max_length = d.pop("commentMaxLength", UNSET)

        message_min_length = d.pop("messageMinLength", UNSET)

        message_max_length = d.pop("messageMaxLength", UNSET)

        rating_max_length = d.pop("ratingMaxLength", UNSET)

        report_max_length = d.pop("reportMaxLength", UNSET)

        statement_min_length = d.pop("statementMinLength", UNSET)

        statement_max_length = d.pop("statementMaxLength", UNSET)

        reference_max_length = d.pop("referenceMaxLength", UNSET)

        key_name_min_length = d.pop("keyNameMinLength", UNSET)

        key_name_max_length = d.pop("keyNameMaxLength", UNSET)

        json_body_max_bytes = d.pop("jsonBodyMaxBytes", UNSET)

        image_max_bytes = d.pop("imageMaxBytes", UNSET)

        image_max_pixels = d.pop("imageMaxPixels", UNSET)

        ad_images_max = d.pop("adImagesMax", UNSET)

        page_size_max = d.pop("pageSizeMax", UNSET)

        page_size_default = d.pop("pageSizeDefault", UNSET)

        site_limits = cls(
            username_min_length=username_min_length,
            username_max_length=username_max_length,
            password_min_length=password_min_length,
            password_max_length=password_max_length,
            name_max_length=name_max_length,
            phone_min_length=phone_min_length,
            phone_max_length=phone_max_length,
            phone_min_digits=phone_min_digits,
            phone_max_digits=phone_max_digits,
            title_min_length=title_min_length,
            title_max_length=title_max_length,
            description_min_length=description_min_length,
            description_max_length=description_max_length,
            place_min_length=place_min_length,
            place_max_length=place_max_length,
            price_max=price_max,
            comment_min_length=comment_min_length,
            comment_max_length=comment_max_length,
            message_min_length=message_min_length,
            message_max_length=message_max_length,
            rating_max_length=rating_max_length,
            report_max_length=report_max_length,
            statement_min_length=statement_min_length,
            statement_max_length=statement_max_length,
            reference_max_length=reference_max_length,
            key_name_min_length=key_name_min_length,
            key_name_max_length=key_name_max_length,
            json_body_max_bytes=json_body_max_bytes,
            image_max_bytes=image_max_bytes,
            image_max_pixels=image_max_pixels,
            ad_images_max=ad_images_max,
            page_size_max=page_size_max,
            page_size_default=page_size_default,
        )

        site_limits.additional_properties = d
        return site_limits

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
