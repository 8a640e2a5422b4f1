"""The language of the text search."""

from sqlalchemy import Connection, text

from adsvc.errors import ConfigurationError

SEARCH_LANGUAGE = """
    SELECT obj_description(oid, 'pg_ts_config') FROM pg_ts_config WHERE cfgname = 'adsvc'
"""

# Of which texts of an ad the words of a column are.
SEARCH_COLUMNS = {
    "title_search": "title",
    "search": "title || ' ' || description || ' ' || attribute_words",
}


def set_language(connection: Connection, language: str) -> None:
    known = connection.scalar(
        text("SELECT 1 FROM pg_ts_config WHERE cfgname = :language AND cfgname <> 'adsvc'"),
        {"language": language},
    )
    if not known:
        raise ConfigurationError(
            f"ADSVC_SEARCH_LANGUAGE: PostgreSQL has no text search configuration {language}."
        )
    if connection.scalar(text(SEARCH_LANGUAGE)) == language:
        return
    # Others would wait behind a statement that waits for the table.
    connection.execute(text("SET LOCAL lock_timeout = '800ms'"))
    connection.execute(text("DROP TEXT SEARCH CONFIGURATION adsvc"))
    connection.execute(text(f"CREATE TEXT SEARCH CONFIGURATION adsvc (COPY = {language})"))
    connection.execute(text(f"COMMENT ON TEXT SEARCH CONFIGURATION adsvc IS '{language}'"))
    # Writes the table anew, with its indexes, and no other column changes.
    changes = (
        f"ALTER {column} TYPE tsvector USING reworded({column}, {words})"
        for column, words in SEARCH_COLUMNS.items()
    )
    connection.execute(text(f"ALTER TABLE ads {', '.join(changes)}"))
    # No row has changed, but the answers that running services keep have.
    connection.execute(text("NOTIFY adsvc, 'ad:'"))
