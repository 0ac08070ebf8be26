"""satlife serve: the server of the page."""

from __future__ import annotations

import secrets
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from satlife.cli import screen
from satlife.cli.groups import command
from satlife.errors import InputError, installing
from satlife.store.database import place


@command()
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on.  \\[default: 8323, or any free]")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--store", metavar="FILE", help="Where finds are kept.  \\[default: in your data directory, or $SATLIFE_STORE]"
)
@click.option("--slots", type=click.IntRange(1, 64), default=1, show_default=True, help="Searches at a time.")
def serve(port: int | None, no_browser: bool, store: str | None, slots: int) -> int:
    """Start the page, on which questions are drawn and finds are played.

    The server listens on this machine only, and answers those who have the printed address.  Ctrl-C ends it.

    Example: [bold]satlife serve[/]
    """
    try:
        from satlife.web import server
    except ImportError as error:
        raise InputError(f"the page needs more packages: {installing('web')}") from error
    listening = server.listen(port)
    token = secrets.token_urlsafe(24)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}"
    screen.show(address)
    screen.say("satlife: open this address; Ctrl-C ends the server")
    with ExitStack() as stack:
        if not no_browser:
            webbrowser.open(stack.enter_context(redirecting(address)))
        server.serve(listening, token, place(store), slots)
    return 0


@contextmanager
def redirecting(address: str) -> Iterator[str]:
    """A file that only we can read, as Jupyter has it, and that leads to an address with a token: a browser is told
    where to go on its command line, which everybody on this machine can read."""
    handle, name = tempfile.mkstemp(".html", "satlife-")
    try:
        with open(handle, "w", encoding="utf-8") as page:
            page.write(
                f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={address}"><a href="{address}">satlife</a>'
            )
        yield Path(name).as_uri()
    finally:
        Path(name).unlink(missing_ok=True)
