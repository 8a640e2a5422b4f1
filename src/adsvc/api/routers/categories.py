from fastapi import APIRouter, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching import CachedResponse, json_response
from adsvc.api.dependencies.bodies import Json, Write
from adsvc.api.dependencies.writes import Operation
from adsvc.api.fastpath.reads import all_categories
from adsvc.api.input.parameters import SlugPath
from adsvc.api.openapi import answer_responses, category_schema_responses, written_responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    CategoryCycleError,
    CategoryInUseError,
    CategoryNotFoundError,
    InvalidRequestError,
)
from adsvc.http.responses import PUBLIC
from adsvc.limits import MEBIBYTE
from adsvc.models import KeyScope, Role
from adsvc.schemas.categories import Categories, Category, CategoryDefinition
from adsvc.services.categories import changes, reading
from adsvc.services.categories.changes import ChangeKind
from adsvc.services.categories.reading import CategoryTree
from adsvc.versions import Written

PATH = "/categories"
SCHEMA_TYPE = "application/schema+json"

router = APIRouter(tags=["categories"])

READ_REFUSALS = (InvalidRequestError, CategoryNotFoundError)


@router.get(
    PATH,
    operation_id="listCategories",
    summary="List all categories",
    response_model=Categories,
    responses=answer_responses() | refusals(),
)
async def list_categories(request: Request, state: AppStateDep) -> Response:
    """Returns the whole tree of categories as a list, parents before children, with their
    attributes.

    Anyone may call it.
    """
    return (await all_categories(state)).to(request)


@router.get(
    f"{PATH}/{{slug}}",
    operation_id="getCategory",
    summary="Get a category",
    response_model=Category,
    responses=answer_responses() | refusals(*READ_REFUSALS),
)
async def get_category(request: Request, state: AppStateDep, slug: SlugPath) -> Response:
    """Returns a category with its own attributes and those of the categories above.

    Anyone may call it.
    """

    async def make() -> CachedResponse:
        tree = await known(state, slug)
        found = await reading.category(state.database.list_reader, tree, slug)
        return json_response(found.model_dump_json(by_alias=True).encode(), PUBLIC)

    answer = await state.responses.make_category(f"{PATH}/{slug}", make)
    return answer.to(request)


@router.get(
    f"{PATH}/{{slug}}/schema",
    operation_id="getCategorySchema",
    summary="Get the JSON Schema of a category's attributes",
    response_class=Response,
    responses=category_schema_responses() | refusals(*READ_REFUSALS),
)
async def get_category_schema(request: Request, state: AppStateDep, slug: SlugPath) -> Response:
    """Returns a JSON Schema (2020-12) of the member `attributes` of ads in the category.

    Anyone may call it. It serves to build forms and to validate before sending.
    """

    async def make() -> CachedResponse:
        schema = (await known(state, slug)).rules(slug).text
        return json_response(schema.encode(), PUBLIC, media_type=SCHEMA_TYPE)

    answer = await state.responses.make_category(f"{PATH}/{slug}/schema", make)
    return answer.to(request)


async def known(state: AppStateDep, slug: str) -> CategoryTree:
    """The tree, if it has that category."""
    # This process learns in a moment of a category that another process added. Reading it each time
    # would read the whole tree for each invented slug.
    tree = await state.categories.tree()
    if slug not in tree.nodes:
        raise CategoryNotFoundError
    return tree


@Operation(
    router,
    "PUT",
    f"{PATH}/{{slug}}",
    operation_id="putCategory",
    summary="Create or replace a category",
    requires=KeyScope.ADMIN,
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
    refused_with=(CategoryCycleError,),
)
async def put_category(write: Write[CategoryDefinition], slug: SlugPath) -> Written:
    """Creates a category or replaces its definition, and returns it. What is left out becomes
    empty.

    Administrators may. Existing ads stay as they are, also where they no longer fit. Counts towards
    the account's limit on changes.
    """
    change = await changes.put(
        write.transaction, slug, write.content, actor=write.user.id, expected=write.expected
    )
    if change.step is ChangeKind.ADDED:
        write.status = 201
        write.headers["Location"] = f"{PATH}/{slug}"
    return await reading.written(write.transaction, slug)


@Operation(
    router,
    "DELETE",
    f"{PATH}/{{slug}}",
    operation_id="deleteCategory",
    summary="Delete a category",
    requires=KeyScope.ADMIN,
    status=204,
    role=Role.ADMIN,
    version=True,
    refused_with=(CategoryNotFoundError, CategoryInUseError),
)
async def delete_category(write: Write[None], slug: SlugPath) -> None:
    """Deletes a category. One that has ads or children is refused with 409.

    Administrators may. Counts towards the account's limit on changes.
    """
    await changes.delete(write.transaction, slug, actor=write.user.id, expected=write.expected)
