"""`adsvc search`: the index of OpenSearch, if one answers searches."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import typer

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.repositories.ads.opensearch.cluster import (
    ClusterRefusedError,
    ClusterUnavailableError,
    SearchCluster,
)
from adsvc.services import search_index
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import database_running, with_database
from adsvc_ops.cli.terminal import say

app = typer.Typer(help="Look after the index of OpenSearch.", no_args_is_help=True)


@app.command()
def rebuild() -> None:
    """Fill a new index while the old one answers, compare it, and have it answer.

    Do it at first, and after changes of categories, of the language of the search, or of what a
    release of adsvc indexes. `adsvc serve` or `adsvc worker` should run meanwhile.
    """
    name, ads = _with_cluster(search_index.rebuild)
    say(f"{name} answers, with {ads} ads.")


@app.command()
def back() -> None:
    """Have the index answer that did so before the last rebuild."""
    say(f"{_with_cluster(search_index.back)} answers.")


def _with_cluster(work: Callable[[Database, SearchCluster], Awaitable[Any]]) -> Any:  # noqa: ANN401 - whatever the work returns
    settings = load_settings()
    if not settings.search_nodes:
        raise OperatorError("PostgreSQL answers searches: there is no ADSVC_SEARCH_URL.")

    async def run(database: Database) -> Any:  # noqa: ANN401 - whatever the work returns
        cluster = SearchCluster(settings.search_nodes, seconds=search_index.WRITE_SECONDS)
        try:
            return await work(database, cluster)
        except (ClusterUnavailableError, ClusterRefusedError) as error:
            raise OperatorError(f"OpenSearch at ADSVC_SEARCH_URL: {error}") from error
        finally:
            await cluster.close()

    with database_running(settings) as running:
        return asyncio.run(with_database(running, run))
