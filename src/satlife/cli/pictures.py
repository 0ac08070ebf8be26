"""Pictures of what a search finds, where -o names a file that is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satlife import files
from satlife.errors import InputError
from satlife.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from satlife.life.pattern import Pattern
    from satlife.problem.outcome import Outcome


@dataclass
class Pictures:
    """Where finds are drawn: the first into a file of this name, others beside it, numbered from 2."""

    path: Path
    phases: bool  # all generations side by side
    count: int = 0  # of the finds drawn

    @classmethod
    def of(cls, name: str | None, phases: bool, line: int | None = None) -> Pictures | None:
        """From -o and --phases, and the line of the question in a file of many; None if nothing is to be drawn."""
        if not name and not phases:
            return None
        from pathlib import Path

        from satlife.draw.files import PICTURE_FILES, STILL

        path = Path(name or "")
        if phases and path.suffix.lower() not in STILL:
            raise InputError(f"--phases draws all generations side by side: say -o FILE{' or '.join(STILL)}")
        if path.suffix.lower() not in PICTURE_FILES:
            return None
        return cls(path.with_stem(f"{path.stem}-{line}") if line else path, phases)

    def draw(self, outcome: Outcome) -> None:
        """Draw a find."""
        from satlife.draw.files import picture_of

        files.write(self._next(), [picture_of(outcome, self.path.suffix.lower(), self.phases)])

    def draw_part(self, pattern: Pattern) -> None:
        """Draw a part of a pattern, whose other cells are unknown."""
        from satlife.draw.files import drawn

        files.write(self._next(), [drawn(pattern, self.path.suffix.lower())])

    def must_be_still(self) -> None:
        """Refuse a film, and generations side by side, of a part of a pattern."""
        from satlife.draw.files import STILL

        if self.phases or self.path.suffix.lower() not in STILL:
            raise InputError(f"the future of a part of a pattern is not known; say -o FILE{' or '.join(STILL)}")

    def _next(self) -> Path:
        self.count += 1
        return self.path.with_stem(f"{self.path.stem}-{self.count}") if self.count > 1 else self.path
