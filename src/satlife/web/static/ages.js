// The age of live cells, by which the player colours them: for how many generations each has been alive.

export const OLDEST = 8; // older cells look alike

/**
 * The ages in each frame: 0 dead, 1 born in this generation, and so on.  The frames of a ship move along with it, so its
 * cells are looked up where they were in the plane.  A film that loops has no first generation: it is followed until
 * its ages repeat.
 * @param {Uint8Array[]} frames
 * @param {[number, number]} size columns and rows
 * @param {[number, number][]} camera how far the window has moved at each frame, see `draw/film.py`
 * @param {boolean} loops
 */
export function agesOf(frames, [columns, rows], camera, loops) {
  const count = frames.length;
  const ages = frames.map((frame) => new Uint8Array(frame.length));
  const laps = loops ? Math.ceil(OLDEST / count) + 1 : 1;
  for (let k = 0; k < laps * count; k++) {
    const t = k % count;
    const before = k ? ages[(k - 1) % count] : null;
    const [x, y] = camera[k && !t ? count : t] ?? [0, 0];
    const [beforeX, beforeY] = camera[t ? t - 1 : count - 1] ?? [0, 0];
    const [dx, dy] = [x - beforeX, y - beforeY];
    for (let row = 0, cell = 0; row < rows; row++) {
      const inside = row + dy >= 0 && row + dy < rows;
      for (let column = 0; column < columns; column++, cell++) {
        if (!frames[t][cell]) continue;
        const seen = before && inside && column + dx >= 0 && column + dx < columns;
        ages[t][cell] = Math.min((seen ? before[cell + dy * columns + dx] : 0) + 1, OLDEST);
      }
    }
  }
  return ages;
}
