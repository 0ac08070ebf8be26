"""The errors a user can cause or meet. Each message says what is wrong, where, and what would be right."""


class SatlifeError(Exception):
    """Root of everything satlife raises on purpose; the message is ready for the user."""


class InputError(SatlifeError):
    """Something the user gave us is wrong: an option, a file, a rule, a pattern."""


class LimitError(InputError):
    """The input is well formed but asks for more than we are willing to allocate."""


class OutOfTime(SatlifeError):
    """The time limit was reached before a solver could be asked."""


class SolverError(SatlifeError):
    """A solver could not be started, or said something we cannot believe."""


class StoreError(SatlifeError):
    """The store cannot be read or written: a full disk, a read-only or damaged file."""


class DamagedError(StoreError):
    """What one search, unit or find says in a store makes no sense; the others are not affected."""
