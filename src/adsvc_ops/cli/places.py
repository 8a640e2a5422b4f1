"""`adsvc places`: GeoNames' files of places, postcodes and alternate names."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from adsvc.kit.db.database import Database
from adsvc.services.places import geonames
from adsvc.services.places.geonames import Kind, Loaded
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import database_running, with_database
from adsvc_ops.cli.terminal import say

app = typer.Typer(
    help="Load places and postcodes that adsvc does not come with.", no_args_is_help=True
)

KINDS = {
    Kind.PLACES: "places",
    Kind.POSTCODES: "areas with postcodes",
    Kind.ALTERNATE_NAMES: "places with new names",
}


@app.command()
def load(
    file: Annotated[
        Path, typer.Argument(help="GeoNames' .txt or .zip of places, postcodes or alternate names.")
    ],
) -> None:
    """Replace the places or the postcodes of the file's countries, or add names to places.

    The file is loaded as a whole or, if a line cannot be read, not at all. The number of columns
    shows which of the three it has. GeoNames publishes places and alternate names at
    https://download.geonames.org/export/dump/, and postcodes at .../export/zip/.
    """

    async def work(database: Database) -> Loaded:
        return await geonames.load(database, file)

    with database_running(load_settings()) as settings:
        loaded: Loaded = asyncio.run(with_database(settings, work))
    say(f"Loaded {loaded.places} {KINDS[loaded.kind]}.", *sorted(loaded.countries))
