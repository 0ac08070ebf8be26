"""A folder of instances: their formulas, the patterns that their commands read, manifest.json and SHA256SUMS.

The same names and seed give the same bytes on any machine.  The folder is written under another name and renamed when
it is complete; it replaces an older one only if all files in that were written by this module.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NotRequired, TypedDict

from satlife import files
from satlife.benchmark.instances import Instance
from satlife.cnf import dimacs, knuthfile
from satlife.errors import InputError

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
VERSION = 1
ENDINGS = {"dimacs": "cnf", "sat": "sat"}


class CertificateEntry(TypedDict):
    """How to make the certificate of an instance, and the sha256 of the formula that it refutes."""

    command: str
    formula: str


class ManifestEntry(TypedDict):
    """An instance in the manifest; `reads` are the files that its command reads."""

    name: str
    family: str
    parameters: dict[str, object]
    question: str
    status: str
    source: str
    variables: int
    clauses: int
    file: str
    sha256: str
    reads: list[str]
    command: str
    certificate: NotRequired[CertificateEntry]


def make(
    target: Path,
    instances: Sequence[Instance],
    seed: int,
    style: str = "dimacs",
    progress: Callable[[ManifestEntry], None] = lambda entry: None,
) -> list[ManifestEntry]:
    """Write the folder; returns the entries of its manifest, and reports each as soon as its file is written."""
    target = target.resolve()
    check_target(target)
    partial = target.with_name(f".{target.name[:100]}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        entries = []
        for instance in instances:
            entries.append(write(partial, instance, style))
            progress(entries[-1])
        manifest = {"satlife family": VERSION, "format": style, "seed": seed, "instances": entries}
        files.write(partial / MANIFEST, [json.dumps(manifest, indent=1).encode() + b"\n"])
        files.write(partial / SUMS, list(checksums(partial)))
        replace(target, partial)
    except OSError as error:
        raise InputError(f"cannot write the folder {target}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return entries


def write(folder: Path, instance: Instance, style: str) -> ManifestEntry:
    """Write the files of an instance; returns its entry in the manifest."""
    formula = instance.formula()
    name = f"{instance.name}.{ENDINGS[style]}"
    writer = dimacs.write if style == "dimacs" else knuthfile.write
    files.write(folder / name, writer(formula, instance.comments(style)))
    for pattern, text in instance.files.items():
        files.write(folder / pattern, [text.encode()])
    entry: ManifestEntry = {
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
    if instance.certificate:
        entry["certificate"] = certificate_of(instance)
    return entry


def certificate_of(instance: Instance) -> CertificateEntry:
    return {"command": instance.proving, "formula": instance.certificate}


def digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checksums(folder: Path) -> Iterator[bytes]:
    """A line for every file, in the format of `sha256sum`."""
    for path in sorted(folder.iterdir()):
        yield f"{digest(path)}  {path.name}\n".encode()


def check_target(target: Path) -> None:
    """Refuse to overwrite a folder that holds files not written by this module."""
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(f"{target} is not a folder")
    foreign = sorted({path.name for path in target.iterdir()} - own_files(target))
    if foreign:
        raise InputError(f"{target} holds {foreign[0]}, which `satlife family` did not write; choose another folder")


def own_files(folder: Path) -> set[str]:
    """The files that the manifest in a folder lists."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["satlife family"] == VERSION:
            own = {name for entry in manifest["instances"] for name in (entry["file"], *entry["reads"])}
            return own | {MANIFEST, SUMS}
    return set()


def replace(target: Path, partial: Path) -> None:
    """Move a complete folder to its place, and remove the older one."""
    older = partial.with_suffix(".old")
    if target.exists():
        check_target(target)  # again: it may have changed meanwhile
        os.replace(target, older)
    os.replace(partial, target)
    shutil.rmtree(older, ignore_errors=True)
