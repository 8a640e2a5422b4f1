"""The SQL of requests and jobs: a module of functions for each table or purpose.

The first parameter of a function, `db`, sends its statement. A plain condition on one table is
SQLAlchemy's expression, on a `DatabaseSession`. A statement that does several things at once (CTEs,
searches, rows as JSON) or that is on a hot path is text with `$n`, on `Statements`, alone or in a
transaction. SQLAlchemy's `text()` with parameters by name is not used. A class has state.
"""
