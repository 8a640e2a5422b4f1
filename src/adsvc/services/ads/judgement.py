"""What is wrong with an ad that somebody wants to post: all of it, and nothing is stored."""

from typing import Any

from adsvc.db.database import Database
from adsvc.errors import Gathering, InvalidRequestError
from adsvc.services.categories.judgement import POINTER, Description
from adsvc.services.categories.memory import CategoryMemory
from adsvc.services.images import ReceivedImages, judge_images, require_room
from adsvc.settings import Settings


async def describe_new(
    values: dict[str, Any], settings: Settings, categories: CategoryMemory
) -> dict[str, Any]:
    """The columns of category and attributes, which are taken out of the values."""
    described = Description.taken_from(values, required=settings.category_required)
    if described is None and not settings.category_required:
        return {}
    described = described or Description(required=True)
    return described.applied(await categories.tree(knows=described.node))


async def all_faults(
    error: InvalidRequestError,
    settings: Settings,
    categories: CategoryMemory,
    received: ReceivedImages,
) -> InvalidRequestError:
    """With what else is wrong: the description, where it can be judged, and the pictures."""
    gathering = Gathering(error.faults)
    category_at_fault = any(fault.pointer == POINTER for fault in error.faults)
    if error.sent is not None and not category_at_fault:
        try:
            await describe_new(dict(error.sent), settings, categories)
        except InvalidRequestError as more:
            gathering.add(more.faults)
    wrong, _ = await judge_images(settings, received)
    gathering.add(wrong.faults)
    return InvalidRequestError(*gathering.faults)


async def judge_new(
    database: Database,
    settings: Settings,
    categories: CategoryMemory,
    sent: dict[str, Any],
    received: ReceivedImages,
    *,
    author_id: int,
) -> None:
    """Raises what would refuse an ad whose members are right by themselves."""
    try:
        await describe_new(sent, settings, categories)
    except InvalidRequestError as error:
        raise await all_faults(error, settings, categories, received) from None
    wrong, size = await judge_images(settings, received)
    wrong.refuse()
    await require_room(database, settings, author_id, size)
