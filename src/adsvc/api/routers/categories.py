from fastapi import Response

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse, json_response
from adsvc.api.dependencies.calls import Call, Json
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.finding import all_categories
from adsvc.api.input.parameters import SlugPath
from adsvc.api.openapi.responses import category_schema_responses, written_responses
from adsvc.enums import KeyScope, Role
from adsvc.kit.http.messages import PUBLIC
from adsvc.kit.records import Written
from adsvc.kit.settings import MEBIBYTE
from adsvc.schemas.categories import (
    Categories,
    Category,
    CategoryDefinition,
    MoveAds,
    MovedAds,
)
from adsvc.services.categories import changes, reading
from adsvc.services.categories.changes import ChangeKind
from adsvc.services.categories.reading import CategoryTree

PATH = "/categories"
SCHEMA_TYPE = "application/schema+json"

router = Router(tag="categories", requires=KeyScope.ADMIN)


@router.get(
    PATH,
    summary="List all categories",
    anonymous=True,
    caching=PUBLIC,
    response_model=Categories,
)
async def list_categories(call: Call[None]) -> ReadResponse:
    """Returns the whole tree of categories as a list, parents before children, with their
    attributes.

    Anyone may call it.
    """
    return await all_categories(call.state)


@router.get(
    f"{PATH}/{{slug}}",
    summary="Get a category",
    anonymous=True,
    caching=PUBLIC,
    refused_with=(errors.CategoryNotFoundError,),
    response_model=Category,
)
async def get_category(call: Call[None], slug: SlugPath) -> ReadResponse:
    """Returns a category with its own attributes and those of the categories above.

    Anyone may call it.
    """
    state = call.state

    async def make() -> ReadResponse:
        tree = await known(state, slug)
        found = await reading.category(state.database.list_reader, tree, slug)
        return json_response(found.model_dump_json(by_alias=True).encode(), PUBLIC)

    return await state.responses.make_category(f"{PATH}/{slug}", make)


@router.get(
    f"{PATH}/{{slug}}/schema",
    summary="Get the JSON Schema of a category's attributes",
    anonymous=True,
    caching=PUBLIC,
    response_class=Response,
    responses=category_schema_responses(),
    refused_with=(errors.CategoryNotFoundError,),
)
async def get_category_schema(call: Call[None], slug: SlugPath) -> ReadResponse:
    """Returns a JSON Schema (2020-12) of the member `attributes` of ads in the category.

    Anyone may call it. It serves to build forms and to validate before sending.
    """
    state = call.state

    async def make() -> ReadResponse:
        schema = (await known(state, slug)).rules(slug).text
        return json_response(schema.encode(), PUBLIC, media_type=SCHEMA_TYPE)

    return await state.responses.make_category(f"{PATH}/{slug}/schema", make)


async def known(state: AppState, slug: str) -> CategoryTree:
    """The tree, if it has that category."""
    # This process learns in a moment of a category that another process added. Reading it each time
    # would read the whole tree for each invented slug.
    tree = await state.categories.tree()
    if slug not in tree.nodes:
        raise errors.CategoryNotFoundError
    return tree


@router.put(
    f"{PATH}/{{slug}}",
    summary="Create or replace a category",
    response_model=Category,
    responses={
        **written_responses(),
        201: {
            "description": "Created: there was no such category",
            "model": Category,
            "headers": {"Location": {}, "ETag": {}},
        },
    },
    # A category may have hundreds of options with labels in some languages. Only administrators
    # send it.
    body=Json(CategoryDefinition, max_bytes=MEBIBYTE),
    role=Role.ADMIN,
    version=True,
    refused_with=(errors.CategoryCycleError,),
)
async def put_category(call: Call[CategoryDefinition], slug: SlugPath) -> Written:
    """Creates a category or replaces its definition, and returns it. What is left out becomes
    empty.

    Administrators may. Existing ads stay as they are, also where they no longer fit. Counts towards
    the account's limit on changes.
    """
    change = await changes.put(
        call.transaction, slug, call.content, actor=call.user.id, expected=call.expected
    )
    if change.step is ChangeKind.ADDED:
        call.status = 201
        call.headers["Location"] = f"{PATH}/{slug}"
    return await reading.written(call.transaction, slug)


@router.delete(
    f"{PATH}/{{slug}}",
    summary="Delete a category",
    role=Role.ADMIN,
    version=True,
    refused_with=(errors.CategoryNotFoundError, errors.CategoryInUseError),
)
async def delete_category(call: Call[None], slug: SlugPath) -> None:
    """Deletes a category. One that has ads or children is refused with 409.

    Administrators may. Counts towards the account's limit on changes.
    """
    await changes.delete(call.transaction, slug, actor=call.user.id, expected=call.expected)


@router.post(
    f"{PATH}/{{slug}}/move",
    summary="Move the ads of a category to another one",
    role=Role.ADMIN,
    body=Json(MoveAds, adds_text=False),
    refused_with=(errors.CategoryNotFoundError,),
)
async def move_category_ads(call: Call[MoveAds], slug: SlugPath) -> MovedAds:
    """Moves the next ads of a category to another one, whatever their status, and returns how many
    remain. Send it again until none remains; then the category can be deleted. With `dryRun` it
    only counts them.

    Attributes that the other category does not define, or does not take, are removed from the ads.
    Categories below stay, with their ads. Administrators may. Counts towards the account's limit on
    changes.
    """
    sent = call.content
    return await changes.move_ads(
        call.transaction, slug, sent.to, actor=call.user.id, dry_run=sent.dry_run
    )
