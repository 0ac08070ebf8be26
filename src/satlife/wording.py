"""How numbers of things are said."""


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "cell"), counted(1234, "cell"), counted(2, "minimal box")
    ('1 cell', '1,234 cells', '2 minimal boxes')
    """
    ending = "" if number == 1 else "es" if noun.endswith("x") else "s"
    return f"{number:,} {noun}{ending}"
