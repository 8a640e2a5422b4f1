"""A category tree, made as an administrator makes it."""

from typing import Any

from support.scene.api import Api, Person

VEHICLES: dict[str, Any] = {
    "name": "Vehicles",
    "names": {"de": "Fahrzeuge", "ru": "Транспорт"},
    "position": 1,
    "attributes": [
        {
            "name": "mileage",
            "type": "integer",
            "minimum": 0,
            "maximum": 2_000_000,
            "unit": "km",
            "filterable": True,
            "facetable": True,
        },
        {"name": "inspectedUntil", "type": "date", "filterable": True},
    ],
}
CARS: dict[str, Any] = {
    "parent": "vehicles",
    "name": "Cars",
    "attributes": [
        {
            "name": "fuel",
            "label": "Fuel",
            "labels": {"de": "Kraftstoff"},
            "type": "enum",
            "options": [
                {"value": "diesel", "label": "Diesel", "labels": {"de": "Selbstzünder"}},
                {"value": "petrol", "label": "Petrol", "labels": {"de": "Benzin"}},
            ],
            "required": True,
            "filterable": True,
            "facetable": True,
        },
        {"name": "model", "type": "string", "maxLength": 20},
        {"name": "parking", "type": "boolean", "filterable": True, "facetable": True},
        {"name": "engine", "type": "number", "minimum": 0.1, "maximum": 20, "filterable": True},
    ],
}
BOATS: dict[str, Any] = {"parent": "vehicles", "name": "Boats", "position": -1}
HOME: dict[str, Any] = {"name": "Home"}
TREE = {"vehicles": VEHICLES, "cars": CARS, "boats": BOATS, "home": HOME}


async def plant(api: Api, **tree: dict[str, Any]) -> Person:
    """The tree of this module, or another one; gives the administrator who put it there."""
    admin = await api.admin()
    for slug, definition in (tree or TREE).items():
        answer = await admin.request("PUT", f"/categories/{slug}", json=definition)
        assert answer.status_code == 201, answer.text
    return admin
