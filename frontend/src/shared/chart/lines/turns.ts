// Draws one plot in each task of the browser: all plots of a page in one task would block its input.

const waiting = new Set<() => void>();

function drawNext() {
  const [draw] = waiting;
  if (draw === undefined) return;
  waiting.delete(draw);
  if (waiting.size > 0) setTimeout(drawNext);
  draw();
}

/** Calls `draw` in a task of its own, after those that wait. Returns how to cancel it. */
export function inTurn(draw: () => void): () => void {
  if (waiting.size === 0) setTimeout(drawNext);
  waiting.add(draw);
  return () => void waiting.delete(draw);
}
