"""How large a pattern may be: a file of a few bytes can describe a huge box."""

from __future__ import annotations

from satlife.errors import LimitError

LARGEST_SIDE = 1 << 20
LARGEST_AREA = 1 << 25


def check_size(width: int, height: int, where: str = "") -> None:
    """Refuse a box before it is allocated."""
    if max(width, height) > LARGEST_SIDE or width * height > LARGEST_AREA:
        at = f"{where}: " if where else ""
        raise LimitError(f"{at}a box of {width} x {height} cells is larger than the limit of {LARGEST_AREA} cells")
