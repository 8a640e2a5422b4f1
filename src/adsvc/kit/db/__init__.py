"""PostgreSQL: connections, single reads and writes, sessions, replicas, a listener, migrations."""
