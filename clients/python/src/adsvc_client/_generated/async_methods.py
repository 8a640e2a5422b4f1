"""What a client can be asked for, to be awaited."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from ..operation import IfMatch, Operation
from ..uploads import Upload
from . import operations
from .models.account import Account
from .models.account_export import AccountExport
from .models.account_status import AccountStatus
from .models.account_summary import AccountSummary
from .models.accounts import Accounts
from .models.ad import Ad
from .models.ad_details import AdDetails
from .models.ad_facets import AdFacets
from .models.ad_status import AdStatus
from .models.ads import Ads
from .models.attribute import Attribute
from .models.case import Case
from .models.case_status import CaseStatus
from .models.case_summary import CaseSummary
from .models.cases import Cases
from .models.categories import Categories
from .models.category import Category
from .models.comment import Comment
from .models.comments import Comments
from .models.create_ad_status import CreateAdStatus
from .models.decision import Decision
from .models.decision_ground import DecisionGround
from .models.decisions import Decisions
from .models.extended_ad import ExtendedAd
from .models.health import Health
from .models.images import Images
from .models.location import Location
from .models.made_decision import MadeDecision
from .models.make_decision_action import MakeDecisionAction
from .models.price_type import PriceType
from .models.readiness_part import ReadinessPart
from .models.ready import Ready
from .models.report import Report
from .models.report_reason import ReportReason
from .models.sessions import Sessions
from .models.site import Site
from .models.sort import Sort
from .models.token_form_grant_type import TokenFormGrantType
from .models.token_pair import TokenPair
from .models.user import User
from .types import UNSET, Unset

T = TypeVar("T")


class AsyncMethods(ABC):
    """A method for each operation, by the name of the operation."""

    @abstractmethod
    async def _run(self, operation: Operation[T]) -> T: ...

    async def login(
        self,
        *,
        username: str,
        password: str,
    ) -> TokenPair:
        """Log in."""

        return await self._run(
            operations.login(
                username=username,
                password=password,
            )
        )

    async def register(
        self,
        *,
        username: str,
        password: str,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        role: Literal["USER"] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> User:
        """Create an account.

        Args:
            username: Letters and digits of any script, the punctuation of ASCII, single spaces (RFC
                8265, UsernameCasePreserved); nothing that looks like another name.
            phone: Empty, or 5 to 32 digits, spaces, +, -, ( and ) with 5 to 15 digits.
            role: Nobody becomes an administrator by registering.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.register(
                username=username,
                password=password,
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                role=role,
                idempotency_key=idempotency_key,
            )
        )

    async def validate_register(
        self,
        *,
        username: str,
        password: str,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        role: Literal["USER"] | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Create an account.

        Args:
            username: Letters and digits of any script, the punctuation of ASCII, single spaces (RFC
                8265, UsernameCasePreserved); nothing that looks like another name.
            phone: Empty, or 5 to 32 digits, spaces, +, -, ( and ) with 5 to 15 digits.
            role: Nobody becomes an administrator by registering.
        """

        return await self._run(
            operations.validate_register(
                username=username,
                password=password,
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                role=role,
            )
        )

    async def issue_token(
        self,
        *,
        grant_type: TokenFormGrantType,
        username: str | Unset = UNSET,
        password: str | Unset = UNSET,
        refresh_token: str | Unset = UNSET,
    ) -> TokenPair:
        """OAuth 2.0 token endpoint.

        Args:
            username: With `password`.
            password: With `password`.
            refresh_token: With `refresh_token`.
        """

        return await self._run(
            operations.issue_token(
                grant_type=grant_type,
                username=username,
                password=password,
                refresh_token=refresh_token,
            )
        )

    async def revoke_token(
        self,
        *,
        token: str,
        token_type_hint: str | Unset = UNSET,
    ) -> None:
        """End a session.

        Args:
            token: A refresh or an access token.
            token_type_hint: Not needed.
        """

        return await self._run(
            operations.revoke_token(
                token=token,
                token_type_hint=token_type_hint,
            )
        )

    async def get_me(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> User:
        """The caller's profile.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_me(
                if_none_match=if_none_match,
            )
        )

    async def delete_me(
        self,
        *,
        current_password: str,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete the caller's account.

        Args:
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.delete_me(
                current_password=current_password,
                if_match=if_match,
            )
        )

    async def update_me(
        self,
        *,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        mail: str | Unset = UNSET,
        current_password: str | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> User:
        """Change the caller's profile.

        Args:
            phone: Empty, or 5 to 32 digits, spaces, +, -, ( and ) with 5 to 15 digits.
            current_password: Needed with `mail`, and otherwise ignored.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.update_me(
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                mail=mail,
                current_password=current_password,
                if_match=if_match,
            )
        )

    async def validate_update_me(
        self,
        *,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        mail: str | Unset = UNSET,
        current_password: str | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Change the caller's profile.

        Args:
            phone: Empty, or 5 to 32 digits, spaces, +, -, ( and ) with 5 to 15 digits.
            current_password: Needed with `mail`, and otherwise ignored.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.validate_update_me(
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                mail=mail,
                current_password=current_password,
                if_match=if_match,
            )
        )

    async def replace_my_image(
        self,
        *,
        image: Upload,
        if_match: IfMatch | Unset = UNSET,
    ) -> User:
        """Replace the caller's avatar.

        Args:
            image: JPEG, PNG or WebP, judged by content.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.replace_my_image(
                image=image,
                if_match=if_match,
            )
        )

    async def export_me(
        self,
    ) -> AccountExport:
        """Everything held about the caller."""

        return await self._run(operations.export_me())

    async def set_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> TokenPair:
        """Change the caller's password (deprecated)."""

        return await self._run(
            operations.set_password(
                current_password=current_password,
                new_password=new_password,
            )
        )

    async def change_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> TokenPair:
        """Change the caller's password."""

        return await self._run(
            operations.change_password(
                current_password=current_password,
                new_password=new_password,
            )
        )

    async def list_my_sessions(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Sessions:
        """Where the caller is logged in.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_my_sessions(
                if_none_match=if_none_match,
            )
        )

    async def end_my_session(
        self,
        id: int,
    ) -> None:
        """Log out there."""

        return await self._run(
            operations.end_my_session(
                id,
            )
        )

    async def list_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        q: str | Unset = UNSET,
        min_price: int | Unset = UNSET,
        max_price: int | Unset = UNSET,
        author: int | Unset = UNSET,
        created_after: int | Unset = UNSET,
        created_before: int | Unset = UNSET,
        category: str | Unset = UNSET,
        attr: list[str] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        near: str | Unset = UNSET,
        radius: int | Unset = UNSET,
        bbox: str | Unset = UNSET,
        sort: Sort | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Ads:
        """Ads, all or those that match.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_ads(
                limit=limit,
                cursor=cursor,
                q=q,
                min_price=min_price,
                max_price=max_price,
                author=author,
                created_after=created_after,
                created_before=created_before,
                category=category,
                attr=attr,
                price_type=price_type,
                near=near,
                radius=radius,
                bbox=bbox,
                sort=sort,
                if_none_match=if_none_match,
            )
        )

    async def ads(
        self,
        *,
        limit: int | Unset = UNSET,
        q: str | Unset = UNSET,
        min_price: int | Unset = UNSET,
        max_price: int | Unset = UNSET,
        author: int | Unset = UNSET,
        created_after: int | Unset = UNSET,
        created_before: int | Unset = UNSET,
        category: str | Unset = UNSET,
        attr: list[str] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        near: str | Unset = UNSET,
        radius: int | Unset = UNSET,
        bbox: str | Unset = UNSET,
        sort: Sort | Unset = UNSET,
    ) -> AsyncIterator[Ad]:
        """Ads, all or those that match.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = await self.list_ads(
                limit=limit,
                q=q,
                min_price=min_price,
                max_price=max_price,
                author=author,
                created_after=created_after,
                created_before=created_before,
                category=category,
                attr=attr,
                price_type=price_type,
                near=near,
                radius=radius,
                bbox=bbox,
                sort=sort,
                cursor=cursor,
            )
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    async def create_ad(
        self,
        *,
        title: str,
        price: int,
        description: str,
        images: Sequence[Upload],
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        status: CreateAdStatus | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Post an ad with pictures.

        Args:
            title: 4 to 150 characters, not counting spaces at its ends.
            price: In whole units of the site's currency. A string of digits is taken too, as forms
                send it.
            images: One part of this name for each picture, in their order.
            category: A slug. Null is as if left out.
            attributes: As `GET /categories/{slug}/schema` says.
            place: Where it is, in words. Null is as if left out.
            location: The exact point, which others are told to about a kilometre. Null is as if left
                out.
            status: A draft is shown to its author only, until it is published.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.create_ad(
                title=title,
                price=price,
                description=description,
                images=images,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                location=location,
                status=status,
                idempotency_key=idempotency_key,
            )
        )

    async def validate_create_ad(
        self,
        *,
        title: str,
        price: int,
        description: str,
        images: Sequence[Upload],
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        status: CreateAdStatus | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Post an ad with pictures.

        Args:
            title: 4 to 150 characters, not counting spaces at its ends.
            price: In whole units of the site's currency. A string of digits is taken too, as forms
                send it.
            images: One part of this name for each picture, in their order.
            category: A slug. Null is as if left out.
            attributes: As `GET /categories/{slug}/schema` says.
            place: Where it is, in words. Null is as if left out.
            location: The exact point, which others are told to about a kilometre. Null is as if left
                out.
            status: A draft is shown to its author only, until it is published.
        """

        return await self._run(
            operations.validate_create_ad(
                title=title,
                price=price,
                description=description,
                images=images,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                location=location,
                status=status,
            )
        )

    async def count_ads(
        self,
        *,
        q: str | Unset = UNSET,
        min_price: int | Unset = UNSET,
        max_price: int | Unset = UNSET,
        author: int | Unset = UNSET,
        created_after: int | Unset = UNSET,
        created_before: int | Unset = UNSET,
        category: str | Unset = UNSET,
        attr: list[str] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        near: str | Unset = UNSET,
        radius: int | Unset = UNSET,
        bbox: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdFacets:
        """How many ads there are, by what can be filtered next.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.count_ads(
                q=q,
                min_price=min_price,
                max_price=max_price,
                author=author,
                created_after=created_after,
                created_before=created_before,
                category=category,
                attr=attr,
                price_type=price_type,
                near=near,
                radius=radius,
                bbox=bbox,
                if_none_match=if_none_match,
            )
        )

    async def list_my_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: list[AdStatus] | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Ads:
        """The caller's ads, newest first.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_my_ads(
                limit=limit,
                cursor=cursor,
                status=status,
                if_none_match=if_none_match,
            )
        )

    async def my_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        status: list[AdStatus] | Unset = UNSET,
    ) -> AsyncIterator[Ad]:
        """The caller's ads, newest first.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = await self.list_my_ads(limit=limit, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    async def get_ad(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> ExtendedAd:
        """One ad with its author's contact details.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_ad(
                id,
                if_none_match=if_none_match,
            )
        )

    async def delete_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete an ad and its pictures.

        Args:
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.delete_ad(
                id,
                if_match=if_match,
            )
        )

    async def update_ad(
        self,
        id: int,
        *,
        title: str | Unset = UNSET,
        price: int | Unset = UNSET,
        description: str | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> Ad:
        """Change an ad.

        Args:
            title: 4 to 150 characters, not counting spaces at its ends.
            price: In whole units of the site's currency. A string of digits is taken too, as forms
                send it.
            category: A slug. Null removes the category, and all attributes with it.
            attributes: As `GET /categories/{slug}/schema` says. Null removes one; those that are absent
                stay.
            place: Null removes it.
            location: The exact point, which others are told to about a kilometre. Null removes it.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.update_ad(
                id,
                title=title,
                price=price,
                description=description,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                location=location,
                if_match=if_match,
            )
        )

    async def validate_update_ad(
        self,
        id: int,
        *,
        title: str | Unset = UNSET,
        price: int | Unset = UNSET,
        description: str | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Change an ad.

        Args:
            title: 4 to 150 characters, not counting spaces at its ends.
            price: In whole units of the site's currency. A string of digits is taken too, as forms
                send it.
            category: A slug. Null removes the category, and all attributes with it.
            attributes: As `GET /categories/{slug}/schema` says. Null removes one; those that are absent
                stay.
            place: Null removes it.
            location: The exact point, which others are told to about a kilometre. Null removes it.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.validate_update_ad(
                id,
                title=title,
                price=price,
                description=description,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                location=location,
                if_match=if_match,
            )
        )

    async def get_ad_details(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdDetails:
        """One ad without its author's contact details.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_ad_details(
                id,
                if_none_match=if_none_match,
            )
        )

    async def publish_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Show an ad to everybody.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.publish_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def reserve_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Reserve an ad.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.reserve_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def release_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """End an ad's reservation.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.release_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def sell_ad(
        self,
        id: int,
        *,
        price: int | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Say that the thing is sold.

        Args:
            price: In whole units of the site's currency. A string of digits is taken too, as forms
                send it.
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.sell_ad(
                id,
                price=price,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def withdraw_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Take an ad back.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.withdraw_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def renew_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Show an ad for longer.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.renew_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def replace_ad_image(
        self,
        id: int,
        *,
        image: Upload,
        if_match: IfMatch | Unset = UNSET,
    ) -> bytes:
        """Replace an ad's first picture.

        Args:
            image: JPEG, PNG or WebP, judged by content.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.replace_ad_image(
                id,
                image=image,
                if_match=if_match,
            )
        )

    async def add_ad_images(
        self,
        id: int,
        *,
        images: Sequence[Upload],
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Images:
        """Add pictures to an ad.

        Args:
            images: One part of this name for each picture, in their order.
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.add_ad_images(
                id,
                images=images,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def order_ad_images(
        self,
        id: int,
        *,
        order: list[int],
        if_match: IfMatch | Unset = UNSET,
    ) -> Images:
        """Put an ad's pictures into another order.

        Args:
            order: The ids of all pictures of the ad, each once.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.order_ad_images(
                id,
                order=order,
                if_match=if_match,
            )
        )

    async def delete_ad_image(
        self,
        id: int,
        image_id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete one of an ad's pictures.

        Args:
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.delete_ad_image(
                id,
                image_id,
                if_match=if_match,
            )
        )

    async def list_categories(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Categories:
        """The tree of categories.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_categories(
                if_none_match=if_none_match,
            )
        )

    async def get_category(
        self,
        slug: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Category:
        """One category.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_category(
                slug,
                if_none_match=if_none_match,
            )
        )

    async def put_category(
        self,
        slug: str,
        *,
        name: str,
        parent: None | str | Unset = UNSET,
        names: Mapping[str, Any] | Unset = UNSET,
        position: int | Unset = UNSET,
        attributes: list[Attribute] | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> Category:
        """Add a category, or change one.

        Args:
            name: In the language of the site.
            parent: Null for a root.
            names: By language tag.
            position: Among its siblings, the lowest first.
            attributes: Its own; those of its ancestors, marked as `inherited`, are ignored.
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.put_category(
                slug,
                name=name,
                parent=parent,
                names=names,
                position=position,
                attributes=attributes,
                if_match=if_match,
            )
        )

    async def delete_category(
        self,
        slug: str,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete a category without ads and children.

        Args:
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.delete_category(
                slug,
                if_match=if_match,
            )
        )

    async def get_category_schema(
        self,
        slug: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> dict[str, Any]:
        """What the attributes of an ad there must be.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_category_schema(
                slug,
                if_none_match=if_none_match,
            )
        )

    async def list_comments(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Comments:
        """An ad's comments, newest first.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_comments(
                id,
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    async def comments(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
    ) -> AsyncIterator[Comment]:
        """An ad's comments, newest first.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = await self.list_comments(id, limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    async def create_comment(
        self,
        id: int,
        *,
        text: str,
        idempotency_key: str | Unset = UNSET,
    ) -> Comment:
        """Comment on an ad.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.create_comment(
                id,
                text=text,
                idempotency_key=idempotency_key,
            )
        )

    async def validate_create_comment(
        self,
        id: int,
        *,
        text: str,
    ) -> None:
        """Judge what would be sent, and change nothing: Comment on an ad."""

        return await self._run(
            operations.validate_create_comment(
                id,
                text=text,
            )
        )

    async def get_comment(
        self,
        id: int,
        comment_id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Comment:
        """One comment.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_comment(
                id,
                comment_id,
                if_none_match=if_none_match,
            )
        )

    async def delete_comment(
        self,
        id: int,
        comment_id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete a comment.

        Args:
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.delete_comment(
                id,
                comment_id,
                if_match=if_match,
            )
        )

    async def update_comment(
        self,
        id: int,
        comment_id: int,
        *,
        text: str,
        if_match: IfMatch | Unset = UNSET,
    ) -> Comment:
        """Change a comment.

        Args:
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.update_comment(
                id,
                comment_id,
                text=text,
                if_match=if_match,
            )
        )

    async def validate_update_comment(
        self,
        id: int,
        comment_id: int,
        *,
        text: str,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Change a comment.

        Args:
            if_match: What was read, or its tag.
        """

        return await self._run(
            operations.validate_update_comment(
                id,
                comment_id,
                text=text,
                if_match=if_match,
            )
        )

    async def get_image(
        self,
        name: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> bytes:
        """A picture.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_image(
                name,
                if_none_match=if_none_match,
            )
        )

    async def report_ad(
        self,
        id: int,
        *,
        reason: ReportReason,
        text: str | Unset = UNSET,
    ) -> Report:
        """Report an ad."""

        return await self._run(
            operations.report_ad(
                id,
                reason=reason,
                text=text,
            )
        )

    async def report_comment(
        self,
        id: int,
        comment_id: int,
        *,
        reason: ReportReason,
        text: str | Unset = UNSET,
    ) -> Report:
        """Report a comment."""

        return await self._run(
            operations.report_comment(
                id,
                comment_id,
                reason=reason,
                text=text,
            )
        )

    async def list_cases(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: CaseStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Cases:
        """What was reported, the most reported first.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_cases(
                limit=limit,
                cursor=cursor,
                status=status,
                if_none_match=if_none_match,
            )
        )

    async def cases(
        self,
        *,
        limit: int | Unset = UNSET,
        status: CaseStatus | Unset = UNSET,
    ) -> AsyncIterator[CaseSummary]:
        """What was reported, the most reported first.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = await self.list_cases(limit=limit, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    async def get_case(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Case:
        """All that is known about a case.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_case(
                id,
                if_none_match=if_none_match,
            )
        )

    async def decide_case(
        self,
        id: int,
        *,
        action: MakeDecisionAction,
        ground: DecisionGround | Unset = UNSET,
        explanation: str | Unset = UNSET,
        reference: str | Unset = UNSET,
        days: int | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> MadeDecision:
        """Decide a case.

        Args:
            action: What is done: nothing, or the thing is hidden until its author has changed it
                and somebody has looked again, or it is removed, or the account of its author is
                suspended.
            explanation: Why, for whom it concerns.
            reference: The paragraph of the law or the terms that it rests on.
            days: With `suspendAccount`: for how many days; absent for ever.
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.decide_case(
                id,
                action=action,
                ground=ground,
                explanation=explanation,
                reference=reference,
                days=days,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    async def undo_decision(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> MadeDecision:
        """Undo what somebody else has decided.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.undo_decision(
                id,
                idempotency_key=idempotency_key,
            )
        )

    async def list_my_decisions(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Decisions:
        """What was decided about the caller, and why.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_my_decisions(
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    async def my_decisions(
        self,
        *,
        limit: int | Unset = UNSET,
    ) -> AsyncIterator[Decision]:
        """What was decided about the caller, and why.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = await self.list_my_decisions(limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    async def appeal_decision(
        self,
        id: int,
        *,
        text: str,
    ) -> Decision:
        """Appeal against a decision.

        Args:
            text: Why the decision is wrong.
        """

        return await self._run(
            operations.appeal_decision(
                id,
                text=text,
            )
        )

    async def list_users(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        q: str | Unset = UNSET,
        status: AccountStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Accounts:
        """Accounts, the newest first, or by the beginning of their names.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.list_users(
                limit=limit,
                cursor=cursor,
                q=q,
                status=status,
                if_none_match=if_none_match,
            )
        )

    async def users(
        self,
        *,
        limit: int | Unset = UNSET,
        q: str | Unset = UNSET,
        status: AccountStatus | Unset = UNSET,
    ) -> AsyncIterator[AccountSummary]:
        """Accounts, the newest first, or by the beginning of their names.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = await self.list_users(limit=limit, q=q, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    async def get_user(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Account:
        """One account.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_user(
                id,
                if_none_match=if_none_match,
            )
        )

    async def suspend_user(
        self,
        id: int,
        *,
        ground: DecisionGround,
        explanation: str,
        reference: str | Unset = UNSET,
        days: int | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Account:
        """Suspend an account.

        Args:
            explanation: Why, for whom it concerns.
            reference: The paragraph of the law or the terms that it rests on.
            days: For how many days an account is suspended; absent for ever.
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.suspend_user(
                id,
                ground=ground,
                explanation=explanation,
                reference=reference,
                days=days,
                idempotency_key=idempotency_key,
            )
        )

    async def restore_user(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Account:
        """End an account's suspension.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return await self._run(
            operations.restore_user(
                id,
                idempotency_key=idempotency_key,
            )
        )

    async def request_mail_verification(
        self,
    ) -> None:
        """Send the link that confirms a mail address once more."""

        return await self._run(operations.request_mail_verification())

    async def verify_mail(
        self,
        *,
        token: str,
    ) -> None:
        """Confirm a mail address.

        Args:
            token: What the link in the mail carries after `#token=`.
        """

        return await self._run(
            operations.verify_mail(
                token=token,
            )
        )

    async def forgot_password(
        self,
        *,
        username: str,
    ) -> None:
        """Ask for a link to replace a forgotten password."""

        return await self._run(
            operations.forgot_password(
                username=username,
            )
        )

    async def reset_password(
        self,
        *,
        token: str,
        new_password: str,
    ) -> None:
        """Replace a forgotten password.

        Args:
            token: What the link in the mail carries after `#token=`.
        """

        return await self._run(
            operations.reset_password(
                token=token,
                new_password=new_password,
            )
        )

    async def get_site(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Site:
        """The site's name, its currency, its languages and the limits in force.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return await self._run(
            operations.get_site(
                if_none_match=if_none_match,
            )
        )

    async def is_alive(
        self,
    ) -> Health:
        """Whether the process runs."""

        return await self._run(operations.is_alive())

    async def is_ready(
        self,
        *,
        require: list[ReadinessPart] | Unset = UNSET,
    ) -> Ready:
        """Whether reads can be served."""

        return await self._run(
            operations.is_ready(
                require=require,
            )
        )
