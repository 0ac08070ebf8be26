"""The store: searches, their work units, and everything that was found, in a SQLite file or on a PostgreSQL server."""
