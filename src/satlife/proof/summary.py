"""The summary of a verification: what was proved, what it rests on, and which programs are trusted."""

from __future__ import annotations

import textwrap
from dataclasses import field

from satlife.records import dataclass
from satlife.wording import counted

WIDTH = 100  # columns


@dataclass
class Summary:
    """Counts of what was checked, and the claim in a sentence."""

    headline: str = ""
    patterns: int = 0
    proofs: int = 0
    lemmas: int = 0
    certificates: int = 0  # on which the certificate rests
    windows: int | None = None  # of a box of any length
    rules: set[str] = field(default_factory=set)  # of inference

    def __str__(self) -> str:
        """A short paragraph.

        >>> print(Summary("There is no pattern with these properties", 0, 1, 1234))
        There is no pattern with these properties: see statement.txt. This rests on 1 proof and 1,234
        lemmas. Trusted are the plain generator of clauses and the checker of proofs.
        """
        grounds, programs = _listed(self._grounds()), self._trusted()
        trusted = f"{'is' if len(programs) == 1 else 'are'} {_listed(programs)}"
        words = f"{self.headline}: see statement.txt. This rests on {grounds}. Trusted {trusted}."
        return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)

    def _grounds(self) -> list[str]:
        numbers = {
            "simulated pattern": self.patterns,
            "proof": self.proofs,
            "lemma": self.lemmas,
            "further certificate": self.certificates,
            "window": self.windows,
        }
        grounds = [counted(number, noun) for noun, number in numbers.items() if number]
        return [*grounds, "walks from emptiness, which soon end"] if self.windows == 0 else grounds

    def _trusted(self) -> list[str]:
        """The programs that are trusted."""
        trusted = ["the simulation"] if self.patterns else []
        trusted += ["the plain generator of clauses", "the checker of proofs"] if self.proofs else []
        trusted += [] if self.windows is None else ["the checker of windows"]
        if not self.rules:
            return trusted
        rules = "rule" if len(self.rules) == 1 else "rules"
        return [*trusted, f"the {rules} of inference ({', '.join(sorted(self.rules))})"]


def _listed(parts: list[str]) -> str:
    """Parts as a list in a sentence."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts) or "nothing"
