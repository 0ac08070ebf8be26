"""Symmetries of space-time: a rotation or reflection, a translation, and a number of generations.

`F-@2` says: two generations later the pattern is its own mirror image (and a ship has moved accordingly).  Symmetries
are integer affine maps; the group that they generate is computed, and symmetries that cannot hold together are refused
with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from satlife.errors import InputError, suggestion
from satlife.life.pattern import TRANSFORMS
from satlife.records import dataclass

Matrix = tuple[int, int, int, int]
Vector = tuple[int, int]

#: The ten static symmetries by their usual names, as generators.
GROUPS: dict[str, tuple[str, ...]] = {
    "C1": (),
    "C2": ("R180",),
    "C4": ("R90",),
    "D2-": ("F-",),
    "D2|": ("F|",),
    "D2/": ("F/",),
    "D2\\": ("F\\",),
    "D4+": ("F|", "F-"),
    "D4x": ("F\\", "F/"),
    "D8": ("R90", "F|"),
}
ORDERS = {name: int(name[1]) for name in GROUPS}  # how many maps they consist of, which their names say
ALIASES = {"D2h": "D2-", "D2v": "D2|", "D2d": "D2\\", "D2a": "D2/"}
#: The names of apgsearch, with ours.  The digit says where the centre (of D2 the axis) lies.
APGSEARCH = {
    **{f"C2_{digit}": "C2" for digit in "124"},
    **{f"C4_{digit}": "C4" for digit in "14"},
    **{f"D2_+{digit}": "D2|" for digit in "12"},
    "D2_x": "D2\\",
    **{f"D4_+{digit}": "D4+" for digit in "124"},
    **{f"D4_x{digit}": "D4x" for digit in "14"},
    **{f"D8_{digit}": "D8" for digit in "14"},
}
CENTRES = {"1": "on a cell", "2": "between two cells", "4": "at a corner of cells"}
_FORM = r"(R90|R180|R270|F\||F-|F/|F\\)(?:@(\d{1,4}))?(?::([+-]?\d{1,4}),([+-]?\d{1,4}))?"


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """The matrix product: first b, then a."""
    return (
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
    )


def apply(m: Matrix, v: Vector) -> Vector:
    return m[0] * v[0] + m[1] * v[1], m[2] * v[0] + m[3] * v[1]


@cache
def order(m: Matrix) -> int:
    """The order of a matrix: the smallest power that is the identity."""
    power, n = m, 1
    while power != TRANSFORMS["I"]:
        power, n = multiply(m, power), n + 1
    return n


def name_of(m: Matrix) -> str:
    return next(name for name, matrix in TRANSFORMS.items() if matrix == m)


def reductions(generators: Iterable[Matrix]) -> list[Vector]:
    """Pairs: how many columns and rows are taken from a box.  A pattern with these symmetries, wherever its centre is,
    can be moved until that is in the middle of the box with one of these pairs taken from it.

    >>> reductions([TRANSFORMS["F|"]]), reductions([TRANSFORMS["R90"]]), reductions([TRANSFORMS["F/"]])
    ([(0, 0), (1, 0)], [(0, 0), (1, 1)], [(0, 0)])
    """
    group = {TRANSFORMS["I"]}
    for matrix in generators:
        while more := {multiply(matrix, other) for other in group} - group:
            group |= more
    across, down = (any(matrix[place] < 0 for matrix in group) for place in (0, 3))
    if any(matrix[0] == 0 for matrix in group):  # the box is a square, and so is what the patterns use of it
        return [(0, 0), (1, 1)] if across else [(0, 0)]
    return [(x, y) for x in range(1 + across) for y in range(1 + down)]


@dataclass(frozen=True)
class Motion:
    """A map (v, t) -> (matrix v + shift, t + time) of space-time under which the pattern is invariant."""

    matrix: Matrix
    shift: Vector
    time: int

    def after(self, first: Motion) -> Motion:
        """The composition: first `first`, then this."""
        moved = apply(self.matrix, first.shift)
        shift = (moved[0] + self.shift[0], moved[1] + self.shift[1])
        return Motion(multiply(self.matrix, first.matrix), shift, self.time + first.time)

    def place(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The images of the cells (x, y), given as arrays."""
        a, b, c, d = self.matrix
        return a * x + b * y + self.shift[0], c * x + d * y + self.shift[1]


@dataclass(frozen=True)
class Lattice:
    """The translations under which every solution is invariant: by period and displacement, and around a torus."""

    size: Vector
    wrap: tuple[bool, bool]
    period: int
    displacement: Vector

    def reduce(self, motion: Motion) -> Motion:
        """The motion modulo the lattice: its time in 0 .. period-1, its shift within the torus."""
        periods, time = divmod(motion.time, self.period)
        sx = motion.shift[0] - periods * self.displacement[0]
        sy = motion.shift[1] - periods * self.displacement[1]
        if self.wrap[0]:
            sx %= self.size[0]
        if self.wrap[1]:
            sy %= self.size[1]
        return Motion(motion.matrix, (sx, sy), time)


def canonical(text: str) -> str:
    """The canonical spelling of a symmetry; an InputError if there is no such symmetry.

    >>> canonical("D2v"), canonical("R90@1"), canonical("d8")
    ('D2|', 'R90@1', 'D8')
    """
    given = text.strip()
    aliases = {**{name: name for name in GROUPS}, **ALIASES}
    for name, target in aliases.items():
        if given.lower() == name.lower():
            return target
    found = re.fullmatch(_FORM, given[:1].upper() + given[1:])
    if not found:
        names, meant = " ".join(GROUPS), suggestion(given, aliases)
        raise InputError(f"there is no symmetry {text!r}; there are {names}, and F-@2, R90@1 and the like{meant}")
    time = int(found[2] or 0)
    tail = f"@{time}" if time else ""
    if found[3]:
        tail += f":{int(found[3])},{int(found[4])}"
    return found[1] + tail


def of_apgsearch(text: str) -> str | None:
    """A name of apgsearch in its usual spelling; None if it is none.

    >>> of_apgsearch("d2_+1"), of_apgsearch("D8")
    ('D2_+1', None)
    """
    return next((name for name in APGSEARCH if name.lower() == text.strip().lower()), None)


def group_of(elements: Iterable[str]) -> str:
    """The name of a group of symmetries of the square, which tells its order, from its elements but the identity.

    >>> group_of([]), group_of(["R180", "F|", "F-"])
    ('C1', 'D4+')
    """
    given = set(elements)
    alike = (name for name, order in ORDERS.items() if order == len(given) + 1)
    return next(name for name in alike if given.issuperset(GROUPS[name]))


def named_by_apgsearch(group: str, size: tuple[int, int]) -> str:
    """The name that apgsearch has for the symmetry of a pattern, by the size of its bounding box.

    >>> named_by_apgsearch("D2-", (4, 3)), named_by_apgsearch("C2", (4, 3)), named_by_apgsearch("D8", (4, 4))
    ('D2_+1', 'C2_2', 'D8_4')
    """
    if group in ("D2|", "D2-"):
        return f"D2_+{1 if size[group == 'D2-'] % 2 else 2}"
    if group in ("C1", "D2/", "D2\\"):
        return group if group == "C1" else "D2_x"
    centre = "124"[sum(side % 2 == 0 for side in size)]
    return next(name for name, ours in APGSEARCH.items() if ours == group and name[-1] == centre)


def translated(name: str, displacement: Vector = (0, 0), sideways: bool = False) -> str:
    """Our name for one of apgsearch.  A single mirror lies along the way of a ship; otherwise it is vertical, or
    horizontal if `sideways`, or the main diagonal.

    >>> translated("D4_x1"), translated("D2_+2"), translated("D2_+2", (-1, 0)), translated("D2_x", (1, -1))
    ('D4x', 'D2|', 'D2-', 'D2/')
    """
    ours, (dx, dy) = APGSEARCH[name], displacement
    if ours == "D2|" and (sideways or (dx and not dy)):
        return "D2-"
    return "D2/" if ours == "D2\\" and dx * dy < 0 else ours


def must_be_centred(name: str, ours: str, size: tuple[int, int]) -> None:
    """Refuse a box whose middle is not the centre that a name of apgsearch says; an open side is 0."""
    if name[-1] not in CENTRES:
        return
    side = {"D2|": "width", "D2-": "height"}.get(ours)
    lengths = {"width": size[:1], "height": size[1:]}.get(side or "", size)
    even = {"1": 0, "2": 1, "4": 2}[name[-1]]
    if sum(length % 2 == 0 for length in lengths) == even:
        return
    where = f"axis lies {'between' if even else 'on'} cells" if side else f"centre lies {CENTRES[name[-1]]}"
    wanted = ("with two odd sides", "with an odd and an even side", "with two even sides")[even]
    wanted = f"of {'even' if even else 'odd'} {side}" if side else wanted
    shown = "x".join(str(length or "*") for length in size)
    raise InputError(f"symmetry {name} needs a box {wanted}, not {shown}: its {where}")


def motions(names: tuple[str, ...], lattice: Lattice, periodic: bool = True) -> tuple[Motion, ...]:
    """Generators of the named symmetries, as motions about the centre of the box; an InputError on a contradiction."""
    generators: list[tuple[str, Motion]] = []
    for name in names:
        canon = canonical(name)
        for part in GROUPS.get(canon, (canon,)):
            generators.append((name, _motion(name, part, lattice, periodic)))
    _close(generators, lattice)
    return tuple(motion for _, motion in generators)


def _motion(name: str, part: str, lattice: Lattice, periodic: bool) -> Motion:
    found = re.fullmatch(_FORM, part)
    assert found
    matrix, time = TRANSFORMS[found[1]], int(found[2] or 0)
    width, height = lattice.size
    if matrix[0] == 0 and width != height:
        raise InputError(f"symmetry {name} needs a square box, not {width}x{height}")
    if time and not periodic:
        raise InputError(f"symmetry {name} relates generations, which makes sense for periodic patterns only")
    d = lattice.displacement
    if apply(matrix, d) != d:
        raise InputError(f"a pattern with symmetry {name} cannot move by ({d[0]},{d[1]})")
    n = order(matrix)
    if (n * time) % lattice.period:
        back = f"symmetry {name} gives the pattern back after {n * time} generations"
        raise InputError(f"{back}, which is no multiple of the period {lattice.period}")
    turns = n * time // lattice.period
    glide = (int(found[3]), int(found[4])) if found[3] else _glide(name, matrix, n, turns, d, lattice)
    if _orbit_sum(matrix, n, glide) != (turns * d[0], turns * d[1]):
        raise InputError(f"symmetry {name}: the shift does not add up to the displacement ({d[0]},{d[1]})")
    # About the centre ((w-1)/2, (h-1)/2), in integer arithmetic.
    corner = apply(matrix, (width - 1, height - 1))
    shift = ((width - 1 - corner[0]) // 2 + glide[0], (height - 1 - corner[1]) // 2 + glide[1])
    return Motion(matrix, shift, time)


def _orbit_sum(matrix: Matrix, n: int, v: Vector) -> Vector:
    total = (0, 0)
    for _ in range(n):
        total = (total[0] + v[0], total[1] + v[1])
        v = apply(matrix, v)
    return total


def _glide(name: str, matrix: Matrix, n: int, turns: int, d: Vector, lattice: Lattice) -> Vector:
    """The smallest shift that adds up to the displacement after n applications."""
    goal = (turns * d[0], turns * d[1])
    reach = max(abs(goal[0]), abs(goal[1]))
    near = [(a, b) for a in range(-reach, reach + 1) for b in range(-reach, reach + 1)]
    fitting = [v for v in near if _orbit_sum(matrix, n, v) == goal]
    if not fitting:
        raise InputError(f"symmetry {name} would need a shift by half a cell for the displacement ({d[0]},{d[1]})")
    return min(fitting, key=lambda v: (v[0] ** 2 + v[1] ** 2, -v[0], v[1]))


def _close(generators: list[tuple[str, Motion]], lattice: Lattice) -> None:
    """Generate the group; two of its elements that differ by a translation alone contradict each other."""
    names = " and ".join(dict.fromkeys(name for name, _ in generators))
    steps = [lattice.reduce(motion) for _, motion in generators]
    seen: dict[tuple[Matrix, int], Vector] = {(TRANSFORMS["I"], 0): (0, 0)}
    frontier = [Motion(TRANSFORMS["I"], (0, 0), 0)]
    while frontier:
        current = frontier.pop()
        for step in steps:
            new = lattice.reduce(step.after(current))
            key = (new.matrix, new.time)
            if key not in seen:
                seen[key] = new.shift
                frontier.append(new)
            elif seen[key] != new.shift:
                dx, dy = new.shift[0] - seen[key][0], new.shift[1] - seen[key][1]
                raise InputError(f"symmetry {names}: together they would repeat the pattern every ({dx},{dy}) cells")
    for (matrix, time), _ in seen.items():
        if matrix == TRANSFORMS["I"] and time:
            raise InputError(f"symmetry {names}: the pattern would have the smaller period {time}")
