"""What a client can be asked for, to be awaited."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from ..operation import Operation
from ..uploads import Upload
from . import operations
from .models.ad import Ad
from .models.ad_details import AdDetails
from .models.ad_facets import AdFacets
from .models.ads import Ads
from .models.attribute import Attribute
from .models.categories import Categories
from .models.category import Category
from .models.comment import Comment
from .models.comments import Comments
from .models.create_or_update_ad_pricetype import (
    CreateOrUpdateAdPricetype,
)
from .models.extended_ad import ExtendedAd
from .models.health import Health
from .models.images import Images
from .models.issue_token_body_grant_type import (
    IssueTokenBodyGrantType,
)
from .models.list_my_ads_status_item import ListMyAdsStatusItem
from .models.location import Location
from .models.price_type import PriceType
from .models.sessions import Sessions
from .models.site import Site
from .models.sort import Sort
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
        phone: Literal[""] | str | Unset = UNSET,
        role: Literal["USER"] | Unset = UNSET,
    ) -> User:
        """Create an account.

        Args:
            username: Letters and digits of any script, the punctuation of ASCII, single spaces (RFC
                8265, UsernameCasePreserved); nothing that looks like another name.
            role: Nobody becomes an administrator by registering.
        """

        return await self._run(
            operations.register(
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
        grant_type: IssueTokenBodyGrantType,
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
    ) -> User:
        """The caller's profile."""

        return await self._run(operations.get_me())

    async def delete_me(
        self,
        *,
        current_password: str,
    ) -> None:
        """Delete the caller's account."""

        return await self._run(
            operations.delete_me(
                current_password=current_password,
            )
        )

    async def update_me(
        self,
        *,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: Literal[""] | str | Unset = UNSET,
    ) -> User:
        """Change the caller's profile."""

        return await self._run(
            operations.update_me(
                first_name=first_name,
                last_name=last_name,
                phone=phone,
            )
        )

    async def replace_my_image(
        self,
        *,
        image: Upload,
    ) -> User:
        """Replace the caller's avatar.

        Args:
            image: JPEG, PNG or WebP, judged by content.
        """

        return await self._run(
            operations.replace_my_image(
                image=image,
            )
        )

    async def export_me(
        self,
    ) -> dict[str, Any]:
        """Everything held about the caller."""

        return await self._run(operations.export_me())

    async def list_my_sessions(
        self,
    ) -> Sessions:
        """Where the caller is logged in."""

        return await self._run(operations.list_my_sessions())

    async def end_my_session(
        self,
        id: int,
    ) -> None:
        """Log out there.

        Args:
            id: The session's id.
        """

        return await self._run(
            operations.end_my_session(
                id,
            )
        )

    async def set_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> TokenPair:
        """Change the caller's password."""

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
    ) -> Ads:
        """Ads, all or those that match.

        Args:
            limit: The most a page may have.
            cursor: Where to go on: `next` of the page before.
            q: Words in title or description; `'a phrase'`, `-without`, `or`. The last word may
                be the beginning of one. There may be a dozen words, and 100 ads on a page.
            min_price: The lowest price.
            max_price: The highest price.
            author: A user's id.
            created_after: In milliseconds since 1970-01-01T00:00Z; that moment not included.
            created_before: In milliseconds since 1970-01-01T00:00Z; that moment not included.
            category: A category's slug: ads of it and of all below it.
            attr: A filterable attribute: `fuel:diesel`, `fuel:diesel|petrol` for any of several,
                `year:2015..2020` for a range with both ends, `mileage:..50000`, `parking:true`.
                There may be several, and all of them hold.
            near: Latitude and longitude (WGS 84, degrees): ads whose public location is at most
                `radius` away, each with its `distance`. The order stays what it is.
            radius: In metres, 25000 if absent. Needs `near`.
            bbox: West, south, east, north (degrees): ads whose public location lies between. West
                beyond east crosses the 180th meridian.
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

        Goes through all pages, of `limit` each, from the first on.

        Args:
            limit: The most a page may have.
            cursor: Where to go on: `next` of the page before.
            q: Words in title or description; `'a phrase'`, `-without`, `or`. The last word may
                be the beginning of one. There may be a dozen words, and 100 ads on a page.
            min_price: The lowest price.
            max_price: The highest price.
            author: A user's id.
            created_after: In milliseconds since 1970-01-01T00:00Z; that moment not included.
            created_before: In milliseconds since 1970-01-01T00:00Z; that moment not included.
            category: A category's slug: ads of it and of all below it.
            attr: A filterable attribute: `fuel:diesel`, `fuel:diesel|petrol` for any of several,
                `year:2015..2020` for a range with both ends, `mileage:..50000`, `parking:true`.
                There may be several, and all of them hold.
            near: Latitude and longitude (WGS 84, degrees): ads whose public location is at most
                `radius` away, each with its `distance`. The order stays what it is.
            radius: In metres, 25000 if absent. Needs `near`.
            bbox: West, south, east, north (degrees): ads whose public location lies between. West
                beyond east crosses the 180th meridian.
        """

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
        images: Sequence[Upload],
        title: str | Unset = UNSET,
        price: int | str | Unset = UNSET,
        description: str | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: CreateOrUpdateAdPricetype | Unset = UNSET,
        place: None | str | Unset = UNSET,
        location: Location | None | Unset = UNSET,
    ) -> Ad:
        """Post an ad with pictures.

        Args:
            images: One part of this name for each picture, in their order.
            title: 4 to 150 characters, not counting spaces at its ends.
            price: In whole units of the site's currency; a string of digits counts as one.
            category: A slug. Null removes the category, and all attributes with it.
            attributes: As `GET /categories/{slug}/schema` says. Null removes one; those that are absent
                stay.
            price_type: What the price means; `fixed` unless it is said.
            place: Null removes it.
            location: The exact point, which others are told to about a kilometre. Null removes it.
        """

        return await self._run(
            operations.create_ad(
                images=images,
                title=title,
                price=price,
                description=description,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                location=location,
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
    ) -> AdFacets:
        """How many ads there are, by what can be filtered next.

        Args:
            q: Words in title or description; `'a phrase'`, `-without`, `or`. The last word may
                be the beginning of one. There may be a dozen words, and 100 ads on a page.
            min_price: The lowest price.
            max_price: The highest price.
            author: A user's id.
            created_after: In milliseconds since 1970-01-01T00:00Z; that moment not included.
            created_before: In milliseconds since 1970-01-01T00:00Z; that moment not included.
            category: A category's slug: ads of it and of all below it.
            attr: A filterable attribute: `fuel:diesel`, `fuel:diesel|petrol` for any of several,
                `year:2015..2020` for a range with both ends, `mileage:..50000`, `parking:true`.
                There may be several, and all of them hold.
            near: Latitude and longitude (WGS 84, degrees): ads whose public location is at most
                `radius` away, each with its `distance`. The order stays what it is.
            radius: In metres, 25000 if absent. Needs `near`.
            bbox: West, south, east, north (degrees): ads whose public location lies between. West
                beyond east crosses the 180th meridian.
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
            )
        )

    async def list_my_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: list[ListMyAdsStatusItem] | Unset = UNSET,
    ) -> Ads:
        """The caller's ads, newest first.

        Args:
            limit: The most a page may have.
            cursor: Where to go on: `next` of the page before.
            status: Only ads with this status, or with one of several; else all.
        """

        return await self._run(
            operations.list_my_ads(
                limit=limit,
                cursor=cursor,
                status=status,
            )
        )

    async def my_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        status: list[ListMyAdsStatusItem] | Unset = UNSET,
    ) -> AsyncIterator[Ad]:
        """The caller's ads, newest first.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            limit: The most a page may have.
            cursor: Where to go on: `next` of the page before.
            status: Only ads with this status, or with one of several; else all.
        """

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
    ) -> ExtendedAd:
        """One ad with its author's contact details.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.get_ad(
                id,
            )
        )

    async def delete_ad(
        self,
        id: int,
    ) -> None:
        """Delete an ad and its pictures.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.delete_ad(
                id,
            )
        )

    async def update_ad(
        self,
        id: int,
        *,
        title: str | Unset = UNSET,
        price: int | str | Unset = UNSET,
        description: str | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: CreateOrUpdateAdPricetype | Unset = UNSET,
        place: None | str | Unset = UNSET,
        location: Location | None | Unset = UNSET,
    ) -> Ad:
        """Change an ad.

        Args:
            id: The ad's id.
            title: 4 to 150 characters, not counting spaces at its ends.
            price: In whole units of the site's currency; a string of digits counts as one.
            category: A slug. Null removes the category, and all attributes with it.
            attributes: As `GET /categories/{slug}/schema` says. Null removes one; those that are absent
                stay.
            price_type: What the price means; `fixed` unless it is said.
            place: Null removes it.
            location: The exact point, which others are told to about a kilometre. Null removes it.
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
            )
        )

    async def get_ad_details(
        self,
        id: int,
    ) -> AdDetails:
        """One ad without its author's contact details.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.get_ad_details(
                id,
            )
        )

    async def publish_ad(
        self,
        id: int,
    ) -> Ad:
        """Show an ad to everybody.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.publish_ad(
                id,
            )
        )

    async def reserve_ad(
        self,
        id: int,
    ) -> Ad:
        """Reserve an ad.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.reserve_ad(
                id,
            )
        )

    async def release_ad(
        self,
        id: int,
    ) -> Ad:
        """End an ad's reservation.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.release_ad(
                id,
            )
        )

    async def sell_ad(
        self,
        id: int,
        *,
        price: int | Unset = UNSET,
    ) -> Ad:
        """Say that the thing is sold.

        Args:
            id: The ad's id.
            price: In whole units of the site's currency; a string of digits counts as one.
        """

        return await self._run(
            operations.sell_ad(
                id,
                price=price,
            )
        )

    async def withdraw_ad(
        self,
        id: int,
    ) -> Ad:
        """Take an ad back.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.withdraw_ad(
                id,
            )
        )

    async def renew_ad(
        self,
        id: int,
    ) -> Ad:
        """Show an ad for longer.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.renew_ad(
                id,
            )
        )

    async def replace_ad_image(
        self,
        id: int,
        *,
        image: Upload,
    ) -> bytes:
        """Replace an ad's first picture.

        Args:
            id: The ad's id.
            image: JPEG, PNG or WebP, judged by content.
        """

        return await self._run(
            operations.replace_ad_image(
                id,
                image=image,
            )
        )

    async def add_ad_images(
        self,
        id: int,
        *,
        images: Sequence[Upload],
    ) -> Images:
        """Add pictures to an ad.

        Args:
            id: The ad's id.
            images: One part of this name for each picture, in their order.
        """

        return await self._run(
            operations.add_ad_images(
                id,
                images=images,
            )
        )

    async def order_ad_images(
        self,
        id: int,
        *,
        order: list[int],
    ) -> Images:
        """Put an ad's pictures into another order.

        Args:
            id: The ad's id.
            order: The ids of all pictures of the ad, each once.
        """

        return await self._run(
            operations.order_ad_images(
                id,
                order=order,
            )
        )

    async def delete_ad_image(
        self,
        id: int,
        image_id: int,
    ) -> None:
        """Delete one of an ad's pictures.

        Args:
            id: The ad's id.
            image_id: The picture's id.
        """

        return await self._run(
            operations.delete_ad_image(
                id,
                image_id,
            )
        )

    async def list_categories(
        self,
    ) -> Categories:
        """The tree of categories."""

        return await self._run(operations.list_categories())

    async def get_category(
        self,
        slug: str,
    ) -> Category:
        """One category.

        Args:
            slug: The category's slug.
        """

        return await self._run(
            operations.get_category(
                slug,
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
    ) -> Category:
        """Add a category, or change one.

        Args:
            slug: The category's slug.
            name: In the language of the site.
            parent: Null for a root.
            names: By language tag.
            position: Among its siblings, the lowest first.
            attributes: Its own; those of its ancestors, marked as `inherited`, are ignored.
        """

        return await self._run(
            operations.put_category(
                slug,
                name=name,
                parent=parent,
                names=names,
                position=position,
                attributes=attributes,
            )
        )

    async def delete_category(
        self,
        slug: str,
    ) -> None:
        """Delete a category without ads and children.

        Args:
            slug: The category's slug.
        """

        return await self._run(
            operations.delete_category(
                slug,
            )
        )

    async def get_category_schema(
        self,
        slug: str,
    ) -> dict[str, Any]:
        """What the attributes of an ad there must be.

        Args:
            slug: The category's slug.
        """

        return await self._run(
            operations.get_category_schema(
                slug,
            )
        )

    async def list_comments(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Comments:
        """An ad's comments, newest first.

        Args:
            id: The ad's id.
            limit: The most a page may have.
            cursor: Where to go on: `next` of the page before.
        """

        return await self._run(
            operations.list_comments(
                id,
                limit=limit,
                cursor=cursor,
            )
        )

    async def comments(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
    ) -> AsyncIterator[Comment]:
        """An ad's comments, newest first.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            id: The ad's id.
            limit: The most a page may have.
            cursor: Where to go on: `next` of the page before.
        """

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
    ) -> Comment:
        """Comment on an ad.

        Args:
            id: The ad's id.
        """

        return await self._run(
            operations.create_comment(
                id,
                text=text,
            )
        )

    async def get_comment(
        self,
        id: int,
        comment_id: int,
    ) -> Comment:
        """One comment.

        Args:
            id: The ad's id.
            comment_id: The comment's id.
        """

        return await self._run(
            operations.get_comment(
                id,
                comment_id,
            )
        )

    async def delete_comment(
        self,
        id: int,
        comment_id: int,
    ) -> None:
        """Delete a comment.

        Args:
            id: The ad's id.
            comment_id: The comment's id.
        """

        return await self._run(
            operations.delete_comment(
                id,
                comment_id,
            )
        )

    async def update_comment(
        self,
        id: int,
        comment_id: int,
        *,
        text: str,
    ) -> Comment:
        """Change a comment.

        Args:
            id: The ad's id.
            comment_id: The comment's id.
        """

        return await self._run(
            operations.update_comment(
                id,
                comment_id,
                text=text,
            )
        )

    async def get_image(
        self,
        name: str,
    ) -> bytes:
        """A picture.

        Args:
            name: The last part of a record's `image`.
        """

        return await self._run(
            operations.get_image(
                name,
            )
        )

    async def get_site(
        self,
    ) -> Site:
        """The site's name, its currency, its languages and the limits in force."""

        return await self._run(operations.get_site())

    async def is_alive(
        self,
    ) -> Health:
        """Whether the process runs."""

        return await self._run(operations.is_alive())

    async def is_ready(
        self,
    ) -> Health:
        """Whether requests can be served."""

        return await self._run(operations.is_ready())
