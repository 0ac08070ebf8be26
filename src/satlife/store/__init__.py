"""The store: searches, their work units, and everything that was found, in one SQLite file."""
