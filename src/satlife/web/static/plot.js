// The progress of a long search as a plot: what was done so far, and when it may end, with its uncertainty.

/**
 * Seconds that are left: at the latest speed, and at twice its standard error above and below; null is infinite.
 * @typedef {{rate: number, remaining: number, least: number, most: number | null}} Expected
 */

const HEIGHT = 220;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 10;
const RIGHT = 14;
const LONGEST = 4; // times the time so far: how much of the future is shown at most

/** A time for people, as `progress.duration` writes it. @param {number} seconds */
export function duration(seconds) {
  for (const [size, name] of /** @type {[number, string][]} */ ([[86400, "d"], [3600, "h"], [60, "min"]])) {
    if (seconds >= 1.5 * size) return `${Math.round(seconds / size)} ${name}`;
  }
  return `${Math.round(seconds)} s`;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
export function svg(name, attributes, children = []) {
  const out = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
  out.append(...children);
  return out;
}

/**
 * @param {[number, number][]} samples seconds, and the share that was done
 * @param {Expected | null} expected
 * @param {number} width
 */
export function plot(samples, expected, width) {
  const [now, share] = samples.at(-1) ?? [0, 0];
  const future = expected ? Math.min(expected.most ?? Infinity, Math.max(LONGEST * now, 1.2 * expected.remaining)) : 0;
  const span = Math.max(now + future, 1);
  const x = (/** @type {number} */ seconds) => LEFT + (width - LEFT - RIGHT) * Math.min(seconds / span, 1);
  const y = (/** @type {number} */ part) => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * part;
  const words = `${(100 * share).toFixed(1)} % done after ${duration(now)}`;
  const parts = [0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
    svg("line", { class: "rule", x1: LEFT, x2: width - RIGHT, y1: y(part), y2: y(part) }),
    svg("text", { class: "end", x: LEFT - 6, y: y(part) + 4 }, [`${100 * part} %`]),
  ]);
  if (expected) {
    // A line from here that goes on for so many seconds, and what of it is to be seen.
    const at = (/** @type {number} */ left) => {
      const shown = Math.min(left, span - now);
      return [x(now + shown), y(share + (1 - share) * (left > 0 ? shown / left : 1))];
    };
    const least = at(expected.least);
    const most = expected.most === null ? [x(span), y(share)] : at(expected.most);
    const corner = [x(span), y(1)];
    const area = [[x(now), y(share)], least, ...(least[1] === y(1) && most[0] === x(span) ? [corner] : []), most];
    parts.push(
      svg("polygon", { class: "doubt", points: area.map((point) => point.join(",")).join(" ") }),
      svg("line", { class: "expected", x1: x(now), y1: y(share), x2: at(expected.remaining)[0], y2: at(expected.remaining)[1] }));
  }
  parts.push(
    svg("polyline", { class: "done", points: samples.map(([at, part]) => `${x(at)},${y(part)}`).join(" ") }),
    svg("circle", { class: "now", cx: x(now), cy: y(share), r: 3.5 }),
    svg("text", { x: LEFT, y: HEIGHT - 6 }, ["0"]),
    svg("text", { class: "end", x: width - RIGHT, y: HEIGHT - 6 }, [duration(span)]));
  if (x(now) > LEFT + 60 && x(now) < width - RIGHT - 90) {
    parts.push(svg("text", { class: "middle", x: x(now), y: HEIGHT - 6 }, [`now: ${duration(now)}`]));
  }
  const label = expected ? `${words}; the shaded part is where it may go on` : words;
  return svg("svg", { class: "plot", width, height: HEIGHT, role: "img", "aria-label": label }, parts);
}
