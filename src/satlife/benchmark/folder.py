"""A folder of instances: their formulas, the patterns that their commands read, manifest.json and SHA256SUMS.

The same names and seed give the same bytes, on any machine.  A folder appears only when it is complete, and takes the
place of an older one only if every file in that was made here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from satlife import files
from satlife.benchmark.instances import Instance
from satlife.cnf import dimacs, knuthfile
from satlife.errors import InputError

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
VERSION = 1
ENDINGS = {"dimacs": "cnf", "sat": "sat"}


def make(
    target: Path,
    instances: Sequence[Instance],
    seed: int,
    style: str = "dimacs",
    tell: Callable[[dict[str, Any]], None] = lambda entry: None,
) -> list[dict[str, Any]]:
    """Write the folder; returns the entries of its manifest, each of which is told as soon as its file is written."""
    target = target.resolve()
    claim(target)
    partial = target.with_name(f".{target.name[:100]}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        entries = []
        for instance in instances:
            entries.append(write(partial, instance, style))
            tell(entries[-1])
        manifest = {"satlife family": VERSION, "format": style, "seed": seed, "instances": entries}
        files.write(partial / MANIFEST, [json.dumps(manifest, indent=1).encode() + b"\n"])
        files.write(partial / SUMS, list(sums(partial)))
        replace(target, partial)
    except OSError as error:
        raise InputError(f"cannot write the folder {target}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return entries


def write(folder: Path, instance: Instance, style: str) -> dict[str, Any]:
    """The files of one instance, and its entry in the manifest."""
    formula = instance.formula()
    name = f"{instance.name}.{ENDINGS[style]}"
    writer = dimacs.write if style == "dimacs" else knuthfile.write
    files.write(folder / name, writer(formula, instance.comments(style)))
    for pattern, text in instance.files.items():
        files.write(folder / pattern, [text.encode()])
    return {
        "name": instance.name,
        "family": instance.family,
        "parameters": dict(instance.parameters),
        "question": instance.words,
        "status": instance.status,
        "source": instance.source,
        "variables": formula.variables,
        "clauses": len(formula),
        "file": name,
        "sha256": digest(folder / name),
        "reads": sorted(instance.files),
        "command": instance.command(style),
    }


def digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sums(folder: Path) -> Iterator[bytes]:
    """A line for every file, as `sha256sum -c` reads them."""
    for path in sorted(folder.iterdir()):
        yield f"{digest(path)}  {path.name}\n".encode()


def claim(target: Path) -> None:
    """Refuse a folder in which there is anything that was not made here."""
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(f"{target} is not a folder")
    strange = sorted({path.name for path in target.iterdir()} - made_here(target))
    if strange:
        raise InputError(f"{target} holds {strange[0]}, which `satlife family` did not write; choose another folder")


def made_here(folder: Path) -> set[str]:
    """The files that an older manifest speaks of."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        manifest = json.loads((folder / MANIFEST).read_text())
        if manifest["satlife family"] == VERSION:
            own = {name for entry in manifest["instances"] for name in (entry["file"], *entry["reads"])}
            return own | {MANIFEST, SUMS}
    return set()


def replace(target: Path, partial: Path) -> None:
    """Put a complete folder where an older one may be."""
    older = partial.with_suffix(".old")
    if target.exists():
        claim(target)  # nothing was put there meanwhile
        os.replace(target, older)
    os.replace(partial, target)
    shutil.rmtree(older, ignore_errors=True)
