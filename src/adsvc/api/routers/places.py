"""Places by name and by point."""

from typing import Annotated

from fastapi import Header
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.caching import ReadResponse, json_response
from adsvc.api.dependencies.calls import Call
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.finding import count_suggestion, searching
from adsvc.api.input.filters import POINT, point
from adsvc.api.input.parameters import QueryModel, WholeNumber
from adsvc.errors import NotFoundError, OverloadedError, RateLimitedError
from adsvc.kit.http.messages import Caching
from adsvc.schemas.finding import Place, Places
from adsvc.services.mail.rendering import spoken
from adsvc.services.places import searching as finding
from adsvc.services.places.searching import LONGEST, SHORTEST, place_of, query_of

router = Router("/places", tag="places")

# More places may be loaded soon: at its first start the service does that while it serves.
OF_A_MINUTE: Caching = (
    (b"cache-control", b"public, max-age=60"),
    (b"vary", b"Accept-Encoding, Accept-Language"),
)
# Towns stay where they are.
OF_A_DAY: Caching = (
    (b"cache-control", b"public, max-age=86400"),
    (b"vary", b"Accept-Encoding, Accept-Language"),
)

MOST_PLACES = 20
DEFAULT_PLACES = 10
LATITUDE_LONGITUDE = {"pattern": f"^{POINT}$"}

AcceptLanguage = Annotated[
    str, Header(description="Names are in the preferred language.", examples=["de"])
]


class PlacesQuery(QueryModel):
    q: Annotated[
        str,
        Field(
            examples=["lünebu"],
            json_schema_extra={"minLength": SHORTEST, "maxLength": LONGEST},
        ),
    ]
    """The beginning of a name in any language, or of a postcode."""
    near: Annotated[
        str | SkipJsonSchema[None],
        Field(examples=["53.25,10.4"], json_schema_extra=LATITUDE_LONGITUDE),
    ] = None
    """Latitude and longitude in degrees: places nearby come first."""
    country: Annotated[
        str | SkipJsonSchema[None], Field(pattern="^[A-Za-z]{2}$", examples=["DE"])
    ] = None
    """Only places in this country (ISO 3166-1)."""
    limit: Annotated[
        Annotated[int, WholeNumber(1, MOST_PLACES)] | SkipJsonSchema[None], Field(examples=[5])
    ] = None
    """The most places; 10 without it."""


class NearestQuery(QueryModel):
    near: Annotated[str, Field(examples=["53.25,10.4"], json_schema_extra=LATITUDE_LONGITUDE)]
    """Latitude and longitude in degrees (WGS 84)."""


@router.get(
    "",
    operation_id="findPlaces",
    summary="Find places by name or postcode",
    anonymous=True,
    caching=OF_A_DAY,
    query=PlacesQuery,
    headers={"accept_language": (AcceptLanguage, "")},
    refused_with=(RateLimitedError, OverloadedError),
    response_model=Places,
)
async def find_places(call: Call[None]) -> ReadResponse:
    """Returns towns, villages and areas with postcodes whose names begin with what was typed, the
    largest and nearest first. If there is none, one letter may be wrong, and two from six on.

    Anyone may call it, with each key that is pressed; it is limited by address, together with
    suggestions. The data is GeoNames', under CC BY 4.0.
    """
    state, sent, scope = call.state, call.query, call.request.scope
    near = None if sent.near is None else point(sent.near)
    query = query_of(sent.q, near, (sent.country or "").upper(), sent.limit or DEFAULT_PLACES)
    count_suggestion(state, scope)
    reader, client = state.database.list_reader, searching(scope)
    async with state.searches.slot(client):
        rows = await finding.find(reader, query) if query.key else ()
    if not rows and query.may_be_misspelt:
        async with state.relaxations.slot(client):
            rows = await finding.find_misspelt(reader, query)
    languages = _languages(call)
    found = Places(results=[place_of(row, languages) for row in rows])
    return _answer(found, OF_A_DAY if rows else OF_A_MINUTE)


@router.get(
    "/nearest",
    operation_id="nearestPlace",
    summary="Get the place nearest to a point",
    anonymous=True,
    caching=OF_A_DAY,
    query=NearestQuery,
    headers={"accept_language": (AcceptLanguage, "")},
    refused_with=(NotFoundError, RateLimitedError, OverloadedError),
    response_model=Place,
)
async def get_nearest_place(call: Call[None]) -> ReadResponse:
    """Returns the town or village whose centre is nearest, within 100 kilometres.

    Anyone may call it; it counts as a search of places towards the limit by address.
    """
    state, scope = call.state, call.request.scope
    near = point(call.query.near)
    count_suggestion(state, scope)
    async with state.searches.slot(searching(scope)):
        row = await finding.nearest(state.database.list_reader, near)
    return _answer(place_of(row, _languages(call)))


def _languages(call: Call[None]) -> tuple[str, ...]:
    return tuple(
        tag.partition("-")[0] for tag in spoken(call.request.headers.get("accept-language", ""))
    )


def _answer(record: Place | Places, caching: Caching = OF_A_DAY) -> ReadResponse:
    return json_response(
        record.model_dump_json(by_alias=True, exclude_unset=True).encode(), caching
    )
