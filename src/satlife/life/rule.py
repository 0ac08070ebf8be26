"""Rules of two-dimensional cellular automata with range-1 neighbourhoods, as a table of 512 next states.

The index into the table is the 3x3 block in reading order, NW N NE W C E SW S SE, as nine bits with NW the highest (the
order of Golly's MAP strings).  The rest of this module is notation: B/S and S/B with Hensel's letters for isotropic
rules, the suffixes `H` (hexagonal) and `V` (von Neumann), MAP strings, names, and the number of states of Generations
rules.

A partial rule leaves some transitions open, for a solver to choose: `B3/S23?` (those before a `?`), or `pB3/S23` (all
that are not named, but never B0).  Transitions that are rotations or reflections of each other are chosen together.

Neighbourhoods after a `~` are forbidden, as in qfind: `B3~6c7/S23~8` is Life, for patterns in which B6c, B7 and S8
never occur.  That is a condition on the answer to a question; patterns themselves live in B3/S23.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, suggestion
from satlife.records import dataclass

Table = npt.NDArray[np.uint8]
Blocks = TypeVar("Blocks", int, npt.NDArray[np.int64])

LONGEST = 1000  # characters of a rulestring
CENTRE = 16
MOORE, HEX, VON_NEUMANN = 0b111101111, 0b110101011, 0b010101010
NEIGHBOURHOODS = {"": MOORE, "H": HEX, "V": VON_NEUMANN}

#: Alan Hensel's letters: one neighbourhood of each class, for one to four live neighbours; five to seven are the
#: complements of three to one.
HENSEL = {
    1: {"c": 1, "e": 2},
    2: {"c": 5, "e": 10, "a": 3, "i": 40, "k": 33, "n": 68},
    3: {"c": 69, "e": 42, "a": 11, "i": 7, "k": 98, "n": 13, "j": 14, "q": 70, "r": 41, "y": 97},
    4: {
        "c": 325, "e": 170, "a": 15, "i": 45, "k": 99, "n": 71, "j": 106, "q": 102, "r": 43, "y": 101,
        "t": 105, "w": 78, "z": 108,
    },
}  # fmt: skip

NAMES = {
    "life": "B3/S23",
    "conway's life": "B3/S23",
    "highlife": "B36/S23",
    "seeds": "B2/S",
    "day & night": "B3678/S34678",
    "day and night": "B3678/S34678",
    "daynight": "B3678/S34678",
    "replicator": "B1357/S1357",
    "fredkin": "B1357/S02468",
    "move": "B368/S245",
    "morley": "B368/S245",
    "2x2": "B36/S125",
    "34 life": "B34/S34",
    "amoeba": "B357/S1358",
    "assimilation": "B345/S4567",
    "b0 life": "B03/S23",
    "coagulations": "B378/S235678",
    "coral": "B3/S45678",
    "diamoeba": "B35678/S5678",
    "dry life": "B37/S23",
    "dotlife": "B3/S023",
    "drylife": "B37/S23",
    "eight life": "B3/S238",
    "flock": "B3/S12",
    "gnarl": "B1/S1",
    "honey life": "B38/S238",
    "life without death": "B3/S012345678",
    "live free or die": "B2/S0",
    "logarithmic replicator": "B36/S245",
    "long life": "B345/S5",
    "maze": "B3/S12345",
    "mazectric": "B3/S1234",
    "pedestrian life": "B38/S23",
    "pseudo life": "B357/S238",
    "serviettes": "B234/S",
    "stains": "B3678/S235678",
    "vote": "B5678/S45678",
    "walled cities": "B45678/S2345",
    "just friends": "B2-a/S12",
    "tlife": "B3/S2-i34q",
    "salad": "B3-n4k/S23-c",
    "brian's brain": "/2/3",
    "star wars": "345/2/4",
}

#: Positions of the 3x3 block, and how a quarter turn and a mirror image permute them.
_TURN = [6, 3, 0, 7, 4, 1, 8, 5, 2]
_FLIP = [2, 1, 0, 5, 4, 3, 8, 7, 6]


def permute(block: Blocks, order: list[int]) -> Blocks:
    """The block whose position i holds what `block` has at position order[i]; or an array of such blocks."""
    image = block & 0
    for i, source in enumerate(order):
        image = image | (block >> (8 - source) & 1) << (8 - i)
    return image


@cache
def images(block: int) -> frozenset[int]:
    """The block and its rotations and reflections.

    >>> len(images(1)), len(images(7 | CENTRE))
    (4, 4)
    """
    found = set()
    for start in (block, permute(block, _FLIP)):
        for _ in range(4):
            found.add(start)
            start = permute(start, _TURN)
    return frozenset(found)


@cache
def classes() -> dict[int, dict[str, frozenset[int]]]:
    """Neighbour count -> Hensel letter -> neighbourhoods (centre dead); 0 and 8 have the one letter ""."""
    table: dict[int, dict[str, frozenset[int]]] = {0: {"": frozenset([0])}, 8: {"": frozenset([MOORE])}}
    for count, letters in HENSEL.items():
        table[count] = {letter: images(block) for letter, block in letters.items()}
        if count < 4:
            table[8 - count] = {
                letter: frozenset(MOORE & ~image for image in blocks) for letter, blocks in table[count].items()
            }
    return table


@dataclass(frozen=True)
class Rule:
    """A rule: `table[block]` is the next state of the centre cell of the block.

    With more than two states (Generations), a cell that does not survive ages through the states 2 .. states-1, and
    only state 1 counts as alive for its neighbours.  In a partial rule an entry 2 + k says that transition class k is
    open; `classes[k]` is its name, such as "B3a".  Blocks that are `forbidden` must not occur in any generation."""

    table: bytes
    states: int = 2
    classes: tuple[str, ...] = ()
    forbidden: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if len(self.table) != 512:
            raise InputError("a rule is a table of 512 entries; Rule.parse('B3/S23') makes one from a rulestring")
        assert set(self.table) <= set(range(2 + len(self.classes)))

    @classmethod
    def parse(cls, text: str) -> Rule:
        """A rule from its string; see `parse` of this module."""
        return parse(text)

    @cached_property
    def array(self) -> Table:
        """The table as an array of uint8."""
        return np.frombuffer(self.table, np.uint8)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Rule.parse({self.name!r})"

    @cached_property
    def name(self) -> str:
        """The canonical rulestring; it must never change, since keys of searches and certificates contain it."""
        return _format(self)

    @cached_property
    def golly(self) -> str:
        """The rulestring as Golly reads it, for files; a Generations rule is written survivals/births/states.

        >>> parse("B34/S3/C4").golly, parse("B2-a/S12/C3").golly, parse("B2/S12/C3V").golly, parse("B3/S23").golly
        ('3/34/4', '12/2-a/3', '12/2/3V', 'B3/S23')
        """
        if self.forbidden:
            return self.unrestricted.golly
        if self.states == 2 or self.is_partial:
            return self.name
        if found := re.fullmatch(r"B(.*)/S(.*)/C(\d+[HV]?)", self.name):
            return f"{found[2]}/{found[1]}/{found[3]}"
        table, _, states = self.name.rpartition("/C")
        return f"{table}/{states}"

    @property
    def is_partial(self) -> bool:
        """Whether some transitions are left open."""
        return bool(self.classes)

    @property
    def is_plain(self) -> bool:
        """Whether it has two states, no B0, and no open transitions or forbidden neighbourhoods."""
        return self.states == 2 and not (self.births_from_nothing or self.is_partial or self.forbidden)

    @cached_property
    def unrestricted(self) -> Rule:
        """The rule itself, without what is forbidden: the one in which patterns live.

        >>> parse("B3~6c7/S23~8").unrestricted.name
        'B3/S23'
        """
        return replace(self, forbidden=frozenset()) if self.forbidden else self

    @cached_property
    def alarm(self) -> Rule:
        """The rule under which a cell lives next if and only if its neighbourhood is forbidden now."""
        return Rule(bytes(block in self.forbidden for block in range(512)))

    @cached_property
    def constraint(self) -> Table:
        """The table with 2, which is no state, where a block is forbidden."""
        return np.where(self.alarm.array == 1, np.uint8(2), self.array)

    def resolve(self, values: Sequence[bool]) -> Rule:
        """The rule with its open transitions decided, class by class."""
        states = (0, 1, *(int(value) for value in values))
        return Rule(bytes(states[entry] for entry in self.table), self.states)

    def allows(self, rule: Rule) -> bool:
        """Whether this partial rule can be completed to the given rule."""
        chosen: dict[int, int] = {}
        for entry, value in zip(self.table, rule.table, strict=True):
            if (entry if entry < 2 else chosen.setdefault(entry, value)) != value:
                return False
        return (rule.states, rule.forbidden) == (self.states, self.forbidden)

    @property
    def births_from_nothing(self) -> bool:
        """Whether the rule has B0: dead cells without live neighbours are born, so that the background blinks."""
        return self.table[0] == 1

    def background(self, t: int) -> int:
        """The state of empty space at generation t, dead at 0."""
        return t % 2 if self.births_from_nothing else 0

    @cached_property
    def is_isotropic(self) -> bool:
        """Whether the rule is invariant under rotations and reflections, what is forbidden included."""
        return all(self.has_symmetry(order) for order in (_TURN, _FLIP))

    def has_symmetry(self, order: list[int]) -> bool:
        """Whether blocks that are permuted like this are alike, for the rule and for what is forbidden."""
        there = permute(np.arange(512), order)
        return all(np.array_equal(table[there], table) for table in (self.array, self.alarm.array))

    @cached_property
    def counts(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """(births, survivals) by number of live neighbours if the rule is outer-totalistic, else None.

        Where neighbourhoods are forbidden, the number alone does not tell what may happen."""
        return None if self.forbidden else _counts(self, MOORE)


def _counts(rule: Rule, mask: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """(births, survivals) if the next state depends on the centre and the count within `mask` only."""
    found: list[tuple[int, ...]] = []
    for centre in (0, CENTRE):
        by_count: dict[int, int] = {}
        for block in range(512):
            if block & CENTRE == centre:
                count = (block & mask).bit_count()
                if by_count.setdefault(count, rule.table[block]) != rule.table[block]:
                    return None
        found.append(tuple(count for count in sorted(by_count) if by_count[count]))
    return found[0], found[1]


def from_counts(births: set[int], survivals: set[int]) -> Rule:
    """An outer-totalistic rule of two states.

    >>> from_counts({3}, {2, 3}).name
    'B3/S23'
    """
    table = bytes(int((block & MOORE).bit_count() in (survivals if block & CENTRE else births)) for block in range(512))
    return Rule(table)


def _format(rule: Rule) -> str:
    tail = f"/C{rule.states}" if rule.states > 2 else ""
    if rule.is_partial:
        births, survivals = (
            _letters(rule, centre, lambda entry: entry == 1) + _letters(rule, centre, lambda entry: entry > 1, "?")
            for centre in (0, CENTRE)
        )
        return f"B{births}/S{survivals}{tail}"
    for suffix, mask in NEIGHBOURHOODS.items():
        found, never = _counts(rule, mask), _counts(rule.alarm, mask) if rule.forbidden else ((), ())
        if found and never:
            texts = (["".join(map(str, counts)) for counts in both] for both in zip(found, never, strict=True))
            births, survivals = (_with_tilde(*both) for both in texts)
            return f"B{births}/S{survivals}{tail}{suffix}"
    if rule.is_isotropic:
        births, survivals = (
            _with_tilde(_letters(rule, centre, bool), _letters(rule.alarm, centre, bool)) for centre in (0, CENTRE)
        )
        return f"B{births}/S{survivals}{tail}"
    if rule.forbidden:
        raise InputError("neighbourhoods can be forbidden only together with their rotations and reflections")
    import base64

    packed = np.packbits(rule.array).tobytes()
    return "MAP" + base64.b64encode(packed).decode().rstrip("=") + (tail if rule.states > 2 else "")


def _with_tilde(digits: str, forbidden: str) -> str:
    return f"{digits}~{forbidden}" if forbidden else digits


def _letters(rule: Rule, centre: int, wanted: Callable[[int], bool], mark: str = "") -> str:
    """The transitions whose entries are wanted, as digits and letters, each group followed by `mark`."""
    out = []
    for count in range(9):
        letters = classes()[count]
        present = [letter for letter, blocks in letters.items() if wanted(rule.table[next(iter(blocks)) | centre])]
        if not present:
            continue
        absent = [letter for letter in letters if letter not in present]
        if not absent:
            out.append(f"{count}{mark}")
        elif len(absent) < len(present):
            out.append(f"{count}-{''.join(sorted(absent))}{mark}")
        else:
            out.append(f"{count}{''.join(sorted(present))}{mark}")
    return "".join(out)


def parse(text: str) -> Rule:
    """A rule from a rulestring in any of the usual spellings; an InputError points at what is wrong.

    >>> parse("23/3").name, parse("b36s23").name, parse("B2-a/S12").name, parse("Seeds").name
    ('B3/S23', 'B36/S23', 'B2-a/S12', 'B2/S')
    """
    if not isinstance(text, str):
        raise InputError(f"a rule is a rulestring such as 'B3/S23', not {text!r}")
    given = text.strip()
    if not given:
        raise InputError("the rule is empty; write one such as B3/S23")
    if len(given) > LONGEST:
        raise InputError(f"the rule has {len(given)} characters, more than {LONGEST}; write one such as B3/S23")
    if named := NAMES.get(given.lower().replace("_", " ")):
        given = named
    if given.upper().startswith("MAP"):
        return _parse_map(given)
    if ":" in given:
        raise InputError(f"rule {given!r}: a torus is searched with `satlife torus WxH`, whose size it must have")
    all_open = given.startswith("p")
    body, states, suffix, offset = _outline(given, int(all_open))
    births_text, births_at, survivals_text, survivals_at = _halves(given, body, offset)
    mask = NEIGHBOURHOODS[suffix]
    halves = [_before_tilde(given, births_text, births_at), _before_tilde(given, survivals_text, survivals_at)]
    (births, open_births), (survivals, open_survivals) = (
        _blocks(given, text, at, mask) for (text, _, _), at in zip(halves, (births_at, survivals_at), strict=True)
    )
    (never_born, unsure), (never_survive, also_unsure) = (_blocks(given, text, at, mask) for _, text, at in halves)
    if never_born or never_survive or unsure or also_unsure:
        if all_open or open_births or open_survivals or unsure or also_unsure or states > 2 or 0 in births:
            raise InputError(f"rule {given!r}: `~` forbids neighbourhoods only in whole rules of two states without B0")
        if 0 in never_born:
            raise _wrong(given, halves[0][2], "0 cannot be forbidden: in empty space no cell has a live neighbour")
    if all_open or open_births or open_survivals:
        if mask != MOORE:
            raise InputError(f"rule {given!r}: only rules with eight neighbours can be partial")
        if all_open:
            everything = set(range(512)) & {block & MOORE for block in range(512)}
            open_births, open_survivals = everything - births - {0}, everything - survivals
        return _partial(births, survivals, open_births, open_survivals, states)
    table = bytearray(512)
    for block in range(512):
        table[block] = block & mask in (survivals if block & CENTRE else births)
    forbidden = frozenset(b for b in range(512) if b & mask in (never_survive if b & CENTRE else never_born))
    return normalised(Rule(bytes(table), states, forbidden=forbidden))


def _before_tilde(text: str, digits: str, at: int) -> tuple[str, str, int]:
    """The digits before a `~`, those after it, and where in the text these begin."""
    before, _, after = digits.partition("~")
    if "~" in after:
        raise _wrong(
            text, at + len(before) + 1 + after.index("~"), "one `~` for births and one for survivals is enough"
        )
    return before, after, at + len(before) + 1


def _partial(births: set[int], survivals: set[int], may_be_born: set[int], may_survive: set[int], states: int) -> Rule:
    """A rule with open transitions; those named both ways are open."""
    if 0 in births or 0 in may_be_born:
        raise InputError("a partial rule cannot have B0: its background would be open too")
    table = bytearray(512)
    names: list[str] = []
    for letter, centre, certain, possible in (("B", 0, births, may_be_born), ("S", CENTRE, survivals, may_survive)):
        for count, letters in sorted(classes().items()):
            for hensel, blocks in sorted(letters.items()):
                is_open = bool(possible & blocks)
                if is_open:
                    names.append(f"{letter}{count}{hensel}")
                for block in blocks:
                    table[block | centre] = 1 + len(names) if is_open else int(block in certain)
    return Rule(bytes(table), states, tuple(names))


def normalised(rule: Rule) -> Rule:
    """The equivalent rule without B0 of a rule with B0 and S8, by exchanging the two states (as Golly does).

    With B0 and S8 full space is stable and empty space is not; in the negative it is the other way round.
    """
    if rule.states == 2 and rule.table[0] == 1 and rule.table[511] == 1:
        return Rule(bytes(1 - rule.table[511 - block] for block in range(512)))
    if rule.states > 2 and rule.table[0] == 1:
        raise InputError("a Generations rule with B0 has no background to draw a pattern on")
    return rule


def _wrong(text: str, position: int, problem: str) -> InputError:
    return InputError(f"rule {text!r}, position {position + 1}: {problem}")


def _outline(text: str, offset: int) -> tuple[str, int, str, int]:
    """Cut off the neighbourhood letter and the number of states: (rest, states, suffix, offset of rest)."""
    body, suffix, states = text[offset:], "", 2
    if body and body[-1] in "HhVv":
        suffix, body = body[-1].upper(), body[:-1]
    parts = body.split("/")
    if len(parts) == 3:
        found = re.fullmatch(r"[CcGg]?(\d{1,3})", parts[2])
        position = offset + len(parts[0]) + len(parts[1]) + 2
        if not found:
            raise _wrong(text, position, f"{parts[2]!r} is not a number of states such as C3")
        states = int(found[1])
        if not 2 <= states <= 256:
            raise _wrong(text, position, f"there can be 2 to 256 states, not {states}")
        body = "/".join(parts[:2])
    elif len(parts) > 3:
        raise _wrong(text, sum(map(len, parts[:3])) + 2, "one `/` too many")
    return body, states, suffix, offset


def _halves(text: str, body: str, offset: int) -> tuple[str, int, str, int]:
    """The digits of births and of survivals, each with its position in the text."""
    lower = body.lower()
    if "/" in body:
        first, second = body.split("/")
        at = len(first) + 1
        if lower.startswith("b") or lower[at : at + 1] == "s":
            if not lower.startswith("b"):
                raise _wrong(text, offset, "`B` is missing; write B3/S23")
            if lower[at : at + 1] != "s":
                raise _wrong(text, offset + at, "`S` is missing; write B3/S23")
            return first[1:], offset + 1, second[1:], offset + at + 1
        if lower.startswith("s") or lower[at : at + 1] == "b":
            if not (lower.startswith("s") and lower[at : at + 1] == "b"):
                raise _wrong(text, offset + at, "`S` and `B` do not fit together; write B3/S23")
            return second[1:], offset + at + 1, first[1:], offset + 1
        return second, offset + at, first, offset
    if lower.startswith("b") and "s" in lower:
        at = lower.index("s")
        return body[1:at], offset + 1, body[at + 1 :], offset + at + 1
    if lower.startswith("s") and "b" in lower:
        at = lower.index("b")
        return body[at + 1 :], offset + at + 1, body[1:at], offset + 1
    raise InputError(
        f"rule {text!r} is not a rulestring such as B3/S23, 23/3, B2-a/S12 or MAP..., nor a known name"
        + suggestion(text, NAMES)
    )


def _blocks(text: str, digits: str, at: int, mask: int) -> tuple[set[int], set[int]]:
    """The neighbourhoods that a string such as "2-a3ij" stands for, and those that it leaves open with `?`."""
    found: set[int] = set()
    left_open: set[int] = set()
    size = mask.bit_count()
    position = 0
    while position < len(digits):
        digit = digits[position]
        if not digit.isascii() or not digit.isdigit() or int(digit) > size:
            raise _wrong(text, at + position, f"{digit!r} should be a number of neighbours, 0 to {size}")
        count = int(digit)
        position += 1
        if mask != MOORE:
            found |= {block & mask for block in range(512) if (block & mask).bit_count() == count}
            if digits[position : position + 1] == "?":
                raise InputError(f"rule {text!r}: only rules with eight neighbours can be partial")
            continue
        letters = classes()[count]
        minus = position < len(digits) and digits[position] == "-"
        start = position = position + minus
        chosen = set()
        while position < len(digits) and (digits[position].isalpha() or digits[position] == "-"):
            letter = digits[position].lower()
            if letter not in letters or letter == "":
                legal = "".join(sorted(filter(None, letters)))
                advice = f"the letters after {count} are {legal}" if legal else f"{count} takes no letters"
                raise _wrong(text, at + position, f"{digits[position]!r} is not one of them: {advice}")
            chosen.add(letter)
            position += 1
        if minus and position == start:
            raise _wrong(text, at + start - 1, f"`-` after {count} should be followed by letters")
        wanted = set(letters) - chosen if minus or not chosen else chosen
        unsure = digits[position : position + 1] == "?"
        position += unsure
        for letter in wanted:
            (left_open if unsure else found).update(letters[letter])
    return found, left_open


def _parse_map(text: str) -> Rule:
    import base64
    import binascii

    found = re.fullmatch(
        r"MAP((?:[A-Za-z0-9+/]{86}|[A-Za-z0-9+/]{22}|[A-Za-z0-9+/]{6}))=*(?:/C?(\d{1,3}))?", text, re.I
    )
    if not found:
        if odd := re.search(r"[^A-Za-z0-9+/=]", text):
            raise _wrong(text, odd.start(), f"{odd[0]!r} is not a base64 character")
        raise InputError(f"a MAP rule has 86, 22 or 6 base64 characters after MAP, not {len(text) - 3}")
    body = found[1]
    sizes = {86: (MOORE | CENTRE, 64), 22: (HEX | CENTRE, 16), 6: (VON_NEUMANN | CENTRE, 4)}
    mask, size = sizes[len(body)]
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4))
    except binascii.Error as error:
        raise InputError(f"the MAP rule is not valid base64 ({error})") from error
    states = int(found[2] or 2)
    if not 2 <= states <= 256:
        raise InputError(f"rule {text!r}: there can be 2 to 256 states, not {states}")
    bits = np.unpackbits(np.frombuffer(packed[:size], np.uint8))
    places = [bit for bit in (256 >> i for i in range(9)) if mask & bit]
    table = bytearray(512)
    for block in range(512):
        index = 0
        for bit in places:
            index = 2 * index + bool(block & bit)
        table[block] = bits[index]
    return normalised(Rule(bytes(table), states))


def parse_topology(text: str) -> tuple[Rule, tuple[int, int] | None]:
    """A rulestring that may end with Golly's suffix for a torus (`:T10,12`), where 0 stands for infinite.

    >>> rule, torus = parse_topology("B3/S23:T10,12")
    >>> rule.name, torus
    ('B3/S23', (10, 12))
    """
    body, colon, tail = text.partition(":")
    if not colon:
        return parse(text), None
    found = re.fullmatch(r"\s*[Tt](\d{1,6}),(\d{1,6})\s*", tail)
    if not found or not (int(found[1]) or int(found[2])):
        raise _wrong(text, len(body) + 1, f"{tail!r} is not a torus such as T10,12")
    return parse(body), (int(found[1]), int(found[2]))


LIFE = from_counts({3}, {2, 3})
