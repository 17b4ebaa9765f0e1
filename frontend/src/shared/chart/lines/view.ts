// Pure: the visible part of the horizontal axis, moved by keys and the mouse.

export interface View {
  from: number;
  to: number;
}

/** The narrowest view, as a part of the whole axis. */
const NARROWEST = 1 / 2_000;
const ZOOM = 0.5;
const PAN = 0.2;

/** Returns the view inside the whole axis; null when it is the whole axis. */
export function held({ from, to }: View, all: View): View | null {
  const width = all.to - all.from;
  const wanted = Math.max(to - from, width * NARROWEST);
  if (!(width > 0) || wanted >= width) return null;
  const start = Math.min(Math.max(from, all.from), all.to - wanted);
  return { from: start, to: start + wanted };
}

/** Returns the view zoomed about `part` of its width. */
function zoomed(view: View, factor: number, part = 0.5): View {
  const width = view.to - view.from;
  const from = view.from + width * part * (1 - factor);
  return { from, to: from + width * factor };
}

function panned(view: View, part: number): View {
  const by = (view.to - view.from) * part;
  return { from: view.from + by, to: view.to + by };
}

/** Pixels that halve the view: one step of a mouse wheel. Wheels and touch pads turn by different amounts. */
const WHEEL_PX = 120;

/** Returns the view after a turn of the wheel: forwards it zooms in, about the position under the pointer. */
export function afterWheel(turned_px: number, part: number, view: View | null, all: View): View | null {
  return held(zoomed(view ?? all, 2 ** (turned_px / WHEEL_PX), part), all);
}

/** Returns the view after a drag by a part of its width; a drag to the right shows earlier values. */
export function afterDrag(part: number, view: View | null, all: View): View | null {
  return held(panned(view ?? all, -part), all);
}

/** Returns the view after a key: undefined for other keys, null for the whole axis. */
export function afterKey(key: string, view: View | null, all: View): View | null | undefined {
  const now = view ?? all;
  switch (key) {
    case "+":
    case "=":
      return held(zoomed(now, ZOOM), all);
    case "-":
      return held(zoomed(now, 1 / ZOOM), all);
    case "ArrowLeft":
      return view === null ? undefined : held(panned(now, -PAN), all);
    case "ArrowRight":
      return view === null ? undefined : held(panned(now, PAN), all);
    case "Escape":
      return view === null ? undefined : null;
    case "Home":
    case "0":
      return null;
    default:
      return undefined;
  }
}

/** The parts of the view that the keys move the place by. */
const STEPS = 50;

/** Returns the place that a key leads to, between the ends of the view: undefined for other keys. */
export function placeAfterKey(key: string, at: number | null, { from, to }: View): number | undefined {
  const step = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : null;
  if (step === null) return undefined;
  if (at === null) return step < 0 ? to : from;
  return Math.min(to, Math.max(from, at + (step * (to - from)) / STEPS));
}
