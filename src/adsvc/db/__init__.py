"""The database: the engine, transactions, the read pool, the listener, faults, migrations."""
