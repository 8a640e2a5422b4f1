"""New ads and changes of ads: what is stored, or why it cannot be."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, NoReturn

from adsvc import errors
from adsvc.enums import AdStatus, AuditKind, PriceType
from adsvc.invalidation import AdAspect, AdChange, InvalidationKind
from adsvc.kit import faults
from adsvc.kit.db.database import Database, SingleStatement, Transaction
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.normalisation import as_line, as_paragraphs
from adsvc.kit.records import ANYTHING, Expected, Written
from adsvc.kit.storage import ImageStore
from adsvc.limits import Limits
from adsvc.models.ads import ASPECTS, POINT
from adsvc.public_location import public_point
from adsvc.repositories import images as image_rows
from adsvc.repositories import places as place_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import AccessCheck, Caller, CallerAccount
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.ads.writes import Classification, Unfinished
from adsvc.schemas.ads import CreateAd, CreateDraft, CreateOrUpdateAd
from adsvc.schemas.base import LARGEST_PLACE_ID, Bounds
from adsvc.services import audit
from adsvc.services.accounts.sessions import AccountRequest
from adsvc.services.ads.listing import raise_hidden
from adsvc.services.categories.reading import CategoryMemory, CategoryTree, Node
from adsvc.services.images import (
    AdPictures,
    PictureStoring,
    ReceivedImages,
    StoredImage,
    require_picture_quota,
    row_of,
    validate_images,
)
from adsvc.settings import AdEditors, Settings

# More than any category can have. The rest need not be validated.
MOST_SENT = 500
NO_CATEGORY = Classification()
# Of a new draft.
DRAFT = Classification(is_draft=True)
# The public point may change with the place.
WRITTEN = {**ASPECTS, "place_id": AdAspect.LOCATION}
# Without a valid category, attributes cannot be validated.
POINTER = "/category"
NO_CATEGORY_FAULT = faults.missing("must be given: every ad here has one").at(POINTER)


class Author(NamedTuple):
    """A `Caller` whose request has been authenticated."""

    user_id: int
    session_id: int | None = None


@dataclass(frozen=True, slots=True)
class SentClassification:
    """What is sent of an ad's category and attributes. An absent category stays as it is."""

    attributes: Mapping[str, Any] | None = None
    # A slug, or None for no category.
    category: str | None = None
    sends_category: bool = False
    required: bool = field(default=False, kw_only=True)

    @classmethod
    def taken_from(cls, values: dict[str, Any], *, required: bool) -> "SentClassification | None":
        """Takes both members out of the sent values; None if neither is there."""
        if values.keys().isdisjoint({"category", "attributes"}):
            return None
        sends_category = "category" in values
        attributes = values.pop("attributes", None)
        return cls(attributes, values.pop("category", None), sends_category, required=required)

    def applied(self, tree: CategoryTree, before: Classification = NO_CATEGORY) -> dict[str, Any]:
        """The new columns of an ad with the classification `before`. Raises `InvalidRequestError`.

        If attributes are sent or the category changes, the stored attributes are validated too:
        they may be from another category or from an earlier definition. In a draft the category
        and required attributes may be missing.
        """
        if (self.category if self.sends_category else before.category_id) is None:
            return self._without_category(is_draft=before.is_draft)
        node = self.node(tree, before)
        if node is None:
            raise errors.UnknownCategoryError
        if self.attributes is None and node.id == before.category_id:
            return {"category_id": node.id}
        stored, sent = before.attributes, self.attributes or {}
        if len(sent) > MOST_SENT:
            fault = faults.wrong_count("members", upper=MOST_SENT)
            raise errors.InvalidRequestError(fault.at("/attributes"))
        # RFC 7396: null removes.
        attributes = {
            name: value for name, value in {**stored, **sent}.items() if value is not None
        }
        valid = _validated(tree, node.slug, attributes, stored, is_draft=before.is_draft)
        return {"category_id": node.id, **valid}

    def node(self, tree: CategoryTree, before: Classification = NO_CATEGORY) -> Node | None:
        """The ad's new category, if it has one and the tree has it."""
        if self.sends_category:
            return tree.nodes.get(self.category or "")
        return tree.by_id.get(before.category_id)

    def _without_category(self, *, is_draft: bool) -> dict[str, Any]:
        """Without a category there are no attributes."""
        if self.required and not is_draft:
            raise errors.InvalidRequestError(NO_CATEGORY_FAULT)
        if any(value is not None for value in (self.attributes or {}).values()):
            raise errors.InvalidRequestError(
                faults.inconsistent("need a category").at("/attributes")
            )
        return {"category_id": None, "attributes": {}, "attribute_words": ""}


def _validated(
    tree: CategoryTree,
    slug: str,
    attributes: Mapping[str, Any],
    stored: Collection[str],
    *,
    is_draft: bool,
) -> dict[str, Any]:
    rules = tree.rules(slug)
    attributes = rules.normalised(attributes)
    found = rules.faults(attributes, stored)
    if is_draft:
        found = [fault for fault in found if fault.code is not FaultCode.MISSING]
    if found:
        raise errors.InvalidRequestError(*found)
    return {"attributes": rules.tidied(attributes), "attribute_words": rules.words(attributes)}


def require_permitted(access: AccessCheck) -> None:
    """Raises the first refusal of a change, if there is one.

    A caller who cannot see the ad is refused as if it did not exist: a 403 would reveal it.
    """
    if not access.is_known:
        raise errors.UnauthenticatedError
    if not access.finds_ad:
        raise errors.AdNotFoundError
    if access.hidden is not None:
        raise_hidden(access.hidden)
    if not access.may_change:
        raise errors.ForbiddenError
    if access.is_blocked:
        raise errors.BlockedError


async def require_access(
    database: Database, caller: Caller, ad_id: int, *, everybody: bool = False
) -> None:
    """Raises the refusals of access that any change of the ad has."""
    require_permitted(
        await ad_rows.check_access(database.reader, caller, ad_id, everybody=everybody)
    )


async def refuse_overtaken(
    statement: SingleStatement | Transaction, caller: Caller, ad_id: int, expected: Expected
) -> NoReturn:
    """Refuses a change whose expected version was not found, by a caller who may change the ad."""
    if expected.versions is None:
        # Deleted a moment ago.
        raise errors.AdNotFoundError
    # The client will read the ad next, and must not get an older version from the cache.
    statement.apply_changes()
    raise errors.PreconditionFailedError(await _version(statement.database, caller, ad_id))


async def _version(database: Database, caller: Caller, ad_id: int) -> str:
    version = await ad_rows.version(database.reader, caller, ad_id)
    if version is None:
        raise errors.AdNotFoundError
    return version


async def classify_new(
    values: dict[str, Any], settings: Settings, categories: CategoryMemory
) -> dict[str, Any]:
    """Takes category and attributes out of the values, and returns their columns."""
    classification = SentClassification.taken_from(values, required=settings.category_required)
    if classification is None and not settings.category_required:
        return {}
    classification = classification or SentClassification(required=True)
    return classification.applied(await categories.tree(knows=classification.node))


async def all_faults(
    error: errors.InvalidRequestError,
    settings: Settings,
    categories: CategoryMemory,
    received: ReceivedImages | None,
) -> errors.InvalidRequestError:
    """Adds the faults of the classification, where it can be validated, and of the pictures."""
    gathering = errors.Gathering(error.faults)
    category_at_fault = any(fault.pointer == POINTER for fault in error.faults)
    if error.sent is not None and not category_at_fault:
        try:
            await classify_new(dict(error.sent), settings, categories)
        except errors.InvalidRequestError as more:
            gathering.add(more.faults)
    if received is not None:
        wrong, _ = await validate_images(settings, received)
        gathering.add(wrong.faults)
    return errors.InvalidRequestError(*gathering.faults)


async def validate_new(
    database: Database,
    settings: Settings,
    categories: CategoryMemory,
    sent: dict[str, Any],
    received: ReceivedImages | None,
    *,
    author_id: int,
) -> None:
    """Raises the refusals of an ad whose members are valid by themselves."""
    await _place_name(database, sent)
    try:
        await classify_new(sent, settings, categories)
    except errors.InvalidRequestError as error:
        raise await all_faults(error, settings, categories, received) from None
    size = 1
    if received is not None:
        wrong, size = await validate_images(settings, received)
        wrong.refuse()
    await require_picture_quota(database, settings, author_id, size)


def require_room(most: int | None, shown: int) -> None:
    """`TooManyError` if the author shows as many ads as its plan allows, `most`."""
    if most is not None and shown >= most:
        raise errors.TooManyError(most, "ads of an account that are shown")


# How often a change is tried again after another one came first. Each time another succeeds.
ATTEMPTS = 20


class NewRecord(NamedTuple):
    id: int
    # The ad as `schemas.ads.Ad`.
    written: Written


async def create(
    storing: PictureStoring,
    author: CallerAccount,
    categories: CategoryMemory,
    properties: CreateAd,
    received: ReceivedImages | None,
) -> NewRecord:
    """The pictures are on the disk before the rows that name them are committed.

    Only a draft may have none.
    """
    transaction, settings = storing.transaction, storing.settings
    values = await _columns(transaction.database, properties)
    try:
        values |= await classify_new(values, settings, categories)
    except errors.InvalidRequestError as error:
        raise await all_faults(error, settings, categories, received) from None
    images: Sequence[StoredImage] = ()
    if received is not None:
        images = await storing.store_all(received)
    elif properties.status != AdStatus.DRAFT:
        raise errors.InvalidRequestError(faults.missing().at("/image"))
    values |= {
        "author_id": author.id,
        "image": images[0].name if images else "",
        "thumbnail": images[0].thumbnail if images else "",
        "image_count": len(images),
    }
    ad = await ad_rows.add(transaction, values, days=settings.ad_days)
    if ad is None:
        # The author's account was deleted during the upload.
        raise errors.UnauthenticatedError
    most = settings.limits_of(author.plan).ads
    if most is not None and properties.status != AdStatus.DRAFT:
        require_room(most, await ad_rows.shown_by_author(transaction, author.id) - 1)
    if images:
        rows = [row_of(image) for image in images]
        await image_rows.add_to_ad(transaction, ad.id, rows, first=0)
        await storing.charge(images, owner_id=author.id)
    transaction.announce_change(
        appeared_or_disappeared(ad.id, author.id, values.get("category_id")).invalidation
    )
    return NewRecord(ad.id, await ad_rows.written(transaction, author.id, ad.id))


# What is missing of a new draft: no record of the interface has null in these places.
UNFINISHED = {
    "description": "",
    "price": 0,
    "is_priced": False,
    "image": "",
    "thumbnail": "",
    "image_count": 0,
    "status": AdStatus.DRAFT,
}


async def create_draft(
    request: AccountRequest, categories: CategoryMemory, sent: CreateDraft
) -> NewRecord:
    """`TooManyError` if the account has as many drafts as it may have."""
    transaction, author = request.transaction, request.user
    values = {**UNFINISHED, **await _columns(transaction.database, sent), "author_id": author.id}
    classification = SentClassification.taken_from(values, required=False)
    if classification is not None:
        tree = await categories.tree(knows=classification.node)
        values |= classification.applied(tree, DRAFT)
    if not await user_rows.lock_unless_suspended(transaction, author.id):
        raise errors.UnauthenticatedError
    most = request.settings.drafts_max
    if await ad_rows.count_unfinished(transaction, author.id, most) >= most:
        raise errors.TooManyError(most, "drafts of an account")
    ad = await ad_rows.add(transaction, values)
    if ad is None:
        raise errors.UnauthenticatedError
    transaction.announce_change(
        appeared_or_disappeared(ad.id, author.id, values.get("category_id")).invalidation
    )
    return NewRecord(ad.id, await ad_rows.written(transaction, author.id, ad.id))


def too_short(texts: Mapping[str, Any], limits: Limits) -> list[Fault]:
    """The faults of texts that only drafts may have, by the names of their members."""
    found = []
    for name, form in (("title", as_line), ("description", as_paragraphs)):
        lower, upper = Bounds(name).of(limits)
        text = texts.get(name)
        # Of an invalid request it is as it was sent.
        length = len(form(text)) if isinstance(text, str) else lower
        if not lower <= length <= upper:
            found.append(faults.wrong_length(lower, upper).at(f"/{name}"))
    return found


async def require_complete(
    unfinished: Unfinished, settings: Settings, categories: CategoryMemory
) -> None:
    """Raises all that is missing or wrong."""
    stored = {"title": unfinished.title, "description": unfinished.description}
    gathering = errors.Gathering(
        [faults.missing().at(f"/{name}") for name, text in stored.items() if not text]
    )
    gathering.add(too_short({name: text for name, text in stored.items() if text}, settings))
    if not unfinished.is_priced:
        gathering.add([faults.missing().at("/price")])
    if not unfinished.images:
        gathering.add([faults.missing().at("/image")])
    before = unfinished.classification
    category = before.category_id
    tree = await categories.tree(knows=lambda tree: category is None or category in tree.by_id)
    node = tree.by_id.get(category)
    if node is not None:
        gathering.add(tree.rules(node.slug).faults(before.attributes, before.attributes))
    elif settings.category_required:
        gathering.add([NO_CATEGORY_FAULT])
    gathering.refuse()


def _needs_price(sent: Mapping[str, Any]) -> bool:
    """Whether these members, by their names, give the ad a type that has a price, but no price."""
    type_of_price = sent.get("priceType", sent.get("price_type"))
    return type_of_price in (PriceType.FIXED, PriceType.NEGOTIABLE) and "price" not in sent


async def _place_name(database: Database, sent: Mapping[str, Any]) -> str | None:
    """The name of the place whose id was sent. Raises the fault of an unknown one.

    Of an invalid request the id is as it was sent.
    """
    place_id = sent.get("place_id", sent.get("placeId"))
    if not isinstance(place_id, int) or not 0 < place_id <= LARGEST_PLACE_ID:
        return None
    row = await place_rows.get(database.reader, place_id)
    if row is None:
        raise errors.InvalidRequestError(faults.unknown("names no place").at("/placeId"))
    name: str = row["name"]
    return name


async def _columns(database: Database, properties: CreateOrUpdateAd) -> dict[str, Any]:
    """The columns for the members that were sent.

    A trigger of the database makes the centre of the place the public point.
    """
    values = properties.changes()
    if (name := await _place_name(database, values)) is not None:
        values.setdefault("place", name)
    if "price" in values:
        values["is_priced"] = True
    if "location" in values:
        del values["location"]
        points: Sequence[float | None] = [None] * len(POINT)
        if (location := properties.location) is not None:
            exact = location.latitude, location.longitude
            points = [*exact, *public_point(*exact)]
        values |= zip(POINT, points, strict=True)
    return values


def appeared_or_disappeared(ad_id: int, author_id: int, category_id: int | None) -> AdChange:
    category = category_id or 0
    return AdChange(ad_id, author_id, category, category, frozenset({AdAspect.STATUS}))


@dataclass(frozen=True, slots=True)
class AdWrite:
    """A change of an ad by a caller."""

    database: Database
    settings: Settings
    caller: Caller
    ad_id: int
    categories: CategoryMemory

    async def require_expected(self, expected: Expected) -> None:
        """As `update`, only checks the version."""
        if expected.versions is not None:
            expected.require(await _version(self.database, self.caller, self.ad_id))

    async def validate(self, sent: Mapping[str, Any], found: Sequence[Fault]) -> None:
        """Raises faults of texts that are too short, and of category and attributes if the other
        faults allow it to find them.
        """
        await _place_name(self.database, sent)
        short, classification = too_short(sent, self.settings), self._sent(dict(sent))
        if any(fault.pointer == POINTER for fault in found):
            classification = None
        needs_price = _needs_price(sent)
        if short or classification is not None or needs_price:
            await self._new_columns(
                await self._stored(), classification, short, needs_price=needs_price
            )

    async def update(
        self, statement: SingleStatement, changes: CreateOrUpdateAd, expected: Expected
    ) -> Written:
        """Returns the changed ad as `schemas.ads.Ad`."""
        # In case its outcome remains unknown.
        statement.announce(InvalidationKind.AD, self.ad_id)
        values = await _columns(self.database, changes)
        short, classification = too_short(values, self.settings), self._sent(values)
        needs_price = _needs_price(changes.changes())
        if not short and classification is None and not needs_price:
            changed = await self._updated(statement, values, expected)
            if changed is None:
                await refuse_overtaken(statement, self.caller, self.ad_id, expected)
            return changed
        # What is valid depends on what is stored. If that changes in between, again.
        for _ in range(ATTEMPTS):
            await require_access(self.database, self.caller, self.ad_id, everybody=self._everybody)
            if classification is not None:
                # Attributes are validated only if the ad has the expected version.
                await self.require_expected(expected)
            before = await self._stored()
            columns = await self._new_columns(
                before, classification, short, needs_price=needs_price
            )
            changed = await self._updated(statement, {**values, **columns}, expected, before)
            if changed is not None:
                return changed
            await self.require_expected(expected)
        raise errors.OverloadedError

    def _sent(self, values: dict[str, Any]) -> SentClassification | None:
        return SentClassification.taken_from(values, required=self.settings.category_required)

    async def _stored(self) -> Classification:
        stored = await ad_rows.classification(self.database.reader, self.ad_id)
        if stored is None:
            raise errors.AdNotFoundError
        return stored

    async def _new_columns(
        self,
        before: Classification,
        sent: SentClassification | None,
        short: Sequence[Fault],
        *,
        needs_price: bool,
    ) -> dict[str, Any]:
        """The columns that depend on what is stored. Raises all faults. In a draft, a short text
        and a missing price are none.
        """
        gathering = errors.Gathering(() if before.is_draft else short)
        columns: dict[str, Any] = {}
        lacks_price = needs_price and not before.has_price
        if lacks_price and not before.is_draft:
            gathering.add([faults.missing().at("/price")])
        if sent is not None:
            tree = await self.categories.tree(knows=partial(sent.node, before=before))
            columns = gathering.attempt(lambda: sent.applied(tree, before)) or columns
        gathering.refuse()
        return {**columns, "is_priced": False} if lacks_price else columns

    async def _updated(
        self,
        statement: SingleStatement,
        values: Mapping[str, object],
        expected: Expected,
        before: Classification | None = None,
    ) -> Written | None:
        """None if the ad has another version, or another classification than before."""
        event = AuditKind.FOREIGN_AD_CHANGED
        changed = await ad_rows.update(
            statement,
            self.caller,
            self.ad_id,
            values,
            audit.trail(event),
            everybody=self._everybody,
            before=before,
            expected=expected,
        )
        require_permitted(changed.access)
        if changed.written is not None and changed.owner_id is not None:
            category = changed.category_id or 0
            category_before = category if before is None else before.category_id or 0
            aspects = frozenset(WRITTEN[column] for column in values.keys() & WRITTEN.keys())
            statement.announce_change(
                AdChange(
                    self.ad_id, changed.owner_id, category, category_before, aspects
                ).invalidation
            )
            audit.log_foreign(
                statement, event, self.caller.user_id, changed.owner_id, ad_id=self.ad_id
            )
        return changed.written

    @property
    def _everybody(self) -> bool:
        return self.settings.ad_editors is AdEditors.AUTHENTICATED


async def put(
    database: Database,
    settings: Settings,
    author: CallerAccount,
    categories: CategoryMemory,
    store: ImageStore,
    external_id: str,
    sent: CreateAd,
    received: ReceivedImages | None,
) -> tuple[NewRecord, bool]:
    """Creates the author's ad with the external id, or changes the one that is there; says which.

    Pictures that are sent replace all of the ad. The status is that of a new ad only.
    """
    if sent.external_id not in {None, external_id}:
        fault = faults.inconsistent("must be the one in the path, or be left out")
        raise errors.InvalidRequestError(fault.at("/externalId"))
    sent = sent.model_copy(update={"external_id": external_id})
    members = {name: getattr(sent, name) for name in sent.model_fields_set - {"status"}}
    for _ in range(ATTEMPTS):
        async with database.autocommit() as session:
            ad = await ad_rows.by_external_id(session, author.id, external_id)
        try:
            if ad is None:
                async with database.transaction() as transaction:
                    storing = PictureStoring(transaction, settings, store)
                    record = await create(storing, author, categories, sent, received)
                return record, True
            write = AdWrite(database, settings, Author(author.id), ad.id, categories)
            await write.validate(members, ())
            if received is not None:
                async with database.transaction() as transaction:
                    pictures = AdPictures(transaction, settings, store, ad, author, ANYTHING)
                    await pictures.replace_all(received)
            async with database.statement() as statement:
                changes = CreateOrUpdateAd.model_construct(**members)
                written = await write.update(statement, changes, ANYTHING)
            return NewRecord(ad.id, written), False
        except (errors.ExternalIdTakenError, errors.AdNotFoundError):
            # Another request has created or deleted it in between.
            continue
    raise errors.OverloadedError
