"""The documentation as a site: `pages.py SITE` builds it from docs/ and mkdocs.yml.

A copy of the pages is completed in a scratch folder, and Zensical builds the site from there.  The commands become one
page for each panel of `satlife --help`.  In a page, a line `::: python NAME ...` becomes the reference of public names,
and `::: life RLE` a picture of a pattern.
"""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import click

import satlife
from satlife.cli.main import satlife as program
from satlife.draw.svg import svg
from satlife.life.formats import rle

HERE = Path(__file__).resolve().parents[1]
Commands = dict[str, click.Command]  # by full name
MIN_SHARED = 4  # commands from which on their common options are listed once


def main() -> int:
    """Build the site; a link that leads nowhere is an error, and leaves the site as it was."""
    site = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        shutil.copy(HERE / "mkdocs.yml", scratch)
        write_pages(scratch / "docs")
        command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(scratch / "mkdocs.yml")]
        code = subprocess.run(command, cwd=scratch).returncode
        if code == 0:
            shutil.rmtree(site, ignore_errors=True)
            shutil.copytree(scratch / "site", site)
    return code


def write_pages(target: Path) -> None:
    """Copy docs/ to a folder, with the pages completed and those of the commands added."""
    shutil.copytree(HERE / "docs", target)
    for path in target.rglob("*.md"):
        path.write_text(completed(path.read_text("utf-8")), "utf-8")
    for panel, names in program.panels.items():
        place = f"{panel.lower().replace(' ', '-')}.md"
        (target / "reference" / place).write_text(commands_page(panel, list(names)), "utf-8")


def completed(markdown: str) -> str:
    """A page in which lines that begin with `:::` are replaced."""
    markdown = re.sub(r"^::: python (.+)$", lambda found: python(found[1].split()), markdown, flags=re.MULTILINE)
    return re.sub(r"^::: life (.+)$", lambda found: picture(found[1]), markdown, flags=re.MULTILINE)


# Commands.
def commands_page(panel: str, names: list[str]) -> str:
    """The page of a panel, from the click objects of its commands."""
    commands = subcommands(program, "satlife", names)
    return f"# Commands: {panel.lower()}\n\n" + "\n".join(command_sections(commands, 2))


def subcommands(group: click.Group, path: str, names: list[str]) -> Commands:
    """The commands of a group, by their full names."""
    context = click.Context(group, info_name=path)
    found = {f"{path} {name}": group.get_command(context, name) for name in names}
    return {name: command for name, command in found.items() if command is not None}


def command_sections(commands: Commands, level: int) -> list[str]:
    """The sections of commands, after a section of the options that all of them share."""
    count = Counter(key(option) for command in commands.values() for option in options(command))
    shared = {name for name, number in count.items() if number == len(commands) >= MIN_SHARED}
    out: list[str] = []
    if shared:
        first = {key(option): option for command in commands.values() for option in options(command)}
        title = "Common options"
        out += [f"{'#' * level} {title} {{ #{anchor(commands)} }}", ""]
        out += [*table([option for name, option in first.items() if name in shared]), ""]
    for path, command in commands.items():
        out += section(path, command, level, shared, anchor(commands))
    return out


def section(path: str, command: click.Command, level: int, shared: set[tuple[str, str]], link: str) -> list[str]:
    """The section of a command; a group is followed by its subcommands."""
    arguments = " ".join(
        word.make_metavar(click.Context(command)) for word in command.params if isinstance(word, click.Argument)
    )
    out = [f"{'#' * level} {path}", "", help_text(command.help or ""), ""]
    own = [option for option in options(command) if key(option) not in shared]
    if isinstance(command, click.Group):
        names = command.list_commands(click.Context(command, info_name=path))
        return [*out, *command_sections(subcommands(command, path, names), level + 1)]
    out += ["```text", f"{path} {arguments}".rstrip() + (" [OPTIONS]" if options(command) else ""), "```", ""]
    if own:
        out += [*table(own), ""]
    if shared and len(own) < len(options(command)):
        out += [f"And the [common options](#{link}).", ""]
    return out


def anchor(commands: Commands) -> str:
    return "options-" + next(iter(commands)).rpartition(" ")[0].replace(" ", "-")


def options(command: click.Command) -> list[click.Option]:
    return [word for word in command.params if isinstance(word, click.Option)]


def key(option: click.Option) -> tuple[str, str]:
    return ", ".join(option.opts), option.help or ""


def table(rows: list[click.Option]) -> list[str]:
    out = ["| option | meaning |", "| --- | --- |"]
    for option in rows:
        value = "" if option.is_flag else f" {option.make_metavar(click.Context(click.Command('')))}"
        text = help_text(option.help or "") + (f" Default: `{option.default}`." if option.show_default else "")
        text += " Required." if option.required else ""
        text += " May be given more than once." if option.multiple else ""
        out.append(f"| `{', '.join(option.opts)}{value}` | {text} |")
    return out


def help_text(text: str) -> str:
    """Convert a help text for the terminal to Markdown."""
    text = re.sub(r"\[bold\](.*?)\[/\]", r"`\1`", inspect.cleandoc(text)).replace("\\[", "[")
    parts = re.split(r"(`[^`]*`)", re.sub(r"  +", " ", text))
    return "".join(part if part.startswith("`") else escaped(part) for part in parts)


def escaped(text: str) -> str:
    return re.sub(r"([*_|])", r"\\\1", text.replace("<", "&lt;"))


# Python.
def python(names: list[str]) -> str:
    """The reference of public names, from their signatures and docstrings."""
    return "\n".join(line for name in names for line in reference(name, getattr(satlife, name), 3))


def reference(name: str, thing: Any, level: int) -> list[str]:
    title = name.rpartition(".")[2]
    out = [f"{'#' * level} {name}", ""]
    if not (inspect.isclass(thing) and issubclass(thing, Exception)):
        out += ["```python", signature(title, thing), "```", ""]
    out += [prose(inspect.getdoc(thing) or ""), ""]
    if inspect.isclass(thing):
        for member, text in members(thing):
            out.append(f"- `{member}`: {text}" if text else f"- `{member}`")
        out.append("")
    return out


def signature(name: str, thing: Any) -> str:
    """A signature, on one line if it fits."""
    found = inspect.signature(thing)
    words = [parameter(word) for word in found.parameters.values()]
    named = [i for i, word in enumerate(found.parameters.values()) if word.kind is word.KEYWORD_ONLY]
    if named:
        words.insert(named[0], "*")
    end = f") -> {found.return_annotation}" if isinstance(found.return_annotation, str) else ")"
    line = f"{name}({', '.join(words)}{end}"
    return line if len(line) <= 100 else "\n".join([f"{name}(", *(f"    {word}," for word in words), end])


def parameter(word: inspect.Parameter) -> str:
    stars = "*" if word.kind is word.VAR_POSITIONAL else "**" if word.kind is word.VAR_KEYWORD else ""
    default = f'"{word.default}"' if isinstance(word.default, satlife.Rule | str) else repr(word.default)
    return f"{stars}{word.name}: {word.annotation}" + ("" if word.default is word.empty else f" = {default}")


def members(kind: type) -> list[tuple[str, str]]:
    """Public methods and properties, each with the first paragraph of its docstring."""
    found = []
    for name, value in vars(kind).items():
        plain = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
        if name.startswith("_") or not inspect.isfunction(plain):
            continue
        text = (inspect.getdoc(plain) or "").split("\n\n")[0].replace("\n", " ")
        is_method = plain is value or isinstance(value, classmethod | staticmethod)
        names = list(inspect.signature(plain).parameters)
        shown = [word for word in names if word not in ("self", "cls")]
        found.append((f"{name}({', '.join(shown)})" if is_method else name, text))
    return found


def prose(text: str) -> str:
    """A docstring as Markdown; examples become code blocks."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        paragraphs.append(f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else paragraph)
    return "\n\n".join(paragraphs)


# Pictures.
def picture(text: str) -> str:
    pattern = rle.parse(text.strip())
    return f'<p class="life" role="img" aria-label="{pattern.population} live cells">{svg(pattern, cell=14)}</p>'


if __name__ == "__main__":
    sys.exit(main())
