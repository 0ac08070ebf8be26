"""A film as HTML with buttons, for notebooks; it needs no other scripts or styles."""

from __future__ import annotations

import json
from html import escape

from satlife.draw.film import Film
from satlife.draw.picture import PAGE
from satlife.draw.svg import CELL, background, check_size, document, squares, used_colours

_SCRIPT = """
(me => {
  const [svg, bar] = me.children, paths = svg.querySelectorAll('path[fill]:not([stroke])');
  const frames = JSON.parse(me.dataset.frames), loops = me.dataset.loops === 'true';
  const [back, play, on, where] = bar.children;
  let now = 0, timer = null;
  const show = t => {
    now = loops ? (t + frames.length) % frames.length : Math.max(0, Math.min(t, frames.length - 1));
    frames[now].forEach((d, k) => paths[k].setAttribute('d', d || 'M0 0'));
    where.textContent = 'generation ' + now;
  };
  const stop = () => { clearInterval(timer); timer = null; play.textContent = '\\u25b6'; };
  const start = () => {
    if (!loops && now === frames.length - 1) now = -1;
    timer = setInterval(() => {
      show(now + 1);
      if (!loops && now === frames.length - 1) stop();
    }, Number(me.dataset.delay));
    play.textContent = '\\u23f8';
  };
  back.onclick = () => { stop(); show(now - 1); };
  on.onclick = () => { stop(); show(now + 1); };
  play.onclick = () => timer ? stop() : start();
  show(0);
})(document.currentScript.parentElement);
"""


_BUTTONS = (("back", "◀"), ("play", "▶"), ("forward", "▷"))


def player(film: Film, caption: str = "", cell: int = CELL, seconds: float = 0.25) -> str:
    """A small player with the buttons back, play and forward."""
    pictures = film.pictures(PAGE)
    check_size(pictures)
    first, colours = pictures[0], used_colours(pictures)
    frames = [[squares(picture, k, cell) for k in colours] for picture in pictures]
    # Without the script the first generation is shown.
    paths = "".join(f'<path fill="{first.colours[k]}" d="{d}"/>' for k, d in zip(colours, frames[0], strict=True))
    picture = document(first.width * cell + 1, first.height * cell + 1, background(first, cell) + paths)
    buttons = "".join(f'<button type="button" title="{name}">{sign}</button>' for name, sign in _BUTTONS)
    return (
        f'<div data-frames="{escape(json.dumps(frames))}" data-loops="{str(film.loops).lower()}" '
        f'data-delay="{seconds * 1000:g}">{picture}'
        f'<div>{buttons}<span style="margin-left: 1em">generation 0</span> {escape(caption)}</div>'
        f"<script>{_SCRIPT}</script></div>"
    )
