from adsvc.db.database import Transaction
from adsvc.errors import AdNotFoundError, UnauthenticatedError
from adsvc.invalidation import Kind
from adsvc.models import Ad, User
from adsvc.pictures.picture import Picture
from adsvc.repositories import AdRepository, ImageRepository
from adsvc.schemas.ads import CreateOrUpdateAd, NewAd
from adsvc.services import audit
from adsvc.services.deletions import forget_pictures
from adsvc.services.images import ReceivedImage, account_for, store_image
from adsvc.settings import Settings
from adsvc.storage import ImageStore


async def create(
    transaction: Transaction,
    settings: Settings,
    store: ImageStore,
    author: User,
    properties: NewAd,
    image: ReceivedImage,
) -> Ad:
    """The picture is durable before the row that names it is committed."""
    name, picture = await store_image(transaction, settings, store, image)
    values = {**properties.changes(), "author_id": author.id, "image": name}
    ad = await AdRepository(transaction.session).add(values)
    if ad is None:
        # The author's account went away while the picture was being uploaded.
        raise UnauthenticatedError
    await account_for(transaction, settings, name, picture, owner_id=author.id)
    transaction.announce(Kind.AD, ad.id)
    return ad


async def update(transaction: Transaction, ad: Ad, changes: CreateOrUpdateAd, *, actor: User) -> Ad:
    updated = await AdRepository(transaction.session).update(ad.id, changes.changes())
    if updated is None:
        raise AdNotFoundError
    transaction.announce(Kind.AD, ad.id)
    event = audit.Event.FOREIGN_AD_CHANGED
    audit.record_foreign(transaction, event, actor, ad, ad_id=ad.id)
    return updated


async def replace_image(
    transaction: Transaction,
    settings: Settings,
    store: ImageStore,
    ad: Ad,
    image: ReceivedImage,
    *,
    actor: User,
) -> Picture:
    """The new picture, as it is stored. Of two replacements at the same time one wins.

    The old picture is deleted when the new one is committed.
    """
    name, picture = await store_image(transaction, settings, store, image)
    images = ImageRepository(transaction.session)
    await images.keep_owner(ad.author_id)
    ads = AdRepository(transaction.session)
    current = await ads.lock(ad.id)
    if current is None:
        raise AdNotFoundError
    old = current.image
    replaced = await images.size(old)
    await ads.update(ad.id, {"image": name})
    await account_for(
        transaction, settings, name, picture, owner_id=ad.author_id, replaced=replaced
    )
    transaction.announce(Kind.AD, ad.id)
    forget_pictures(transaction, store, [old])
    event = audit.Event.FOREIGN_PICTURE_REPLACED
    audit.record_foreign(transaction, event, actor, ad, ad_id=ad.id)
    return picture


async def delete(transaction: Transaction, store: ImageStore, ad: Ad, *, actor: User) -> None:
    image = await AdRepository(transaction.session).delete(ad.id)
    if image is None:
        raise AdNotFoundError
    transaction.announce(Kind.AD, ad.id)
    forget_pictures(transaction, store, [image])
    event = audit.Event.FOREIGN_AD_DELETED
    audit.record_foreign(transaction, event, actor, ad, ad_id=ad.id)
