// Pure: the part of the horizontal axis that is looked at, and how keys and the mouse move it.

export interface View {
  from: number;
  to: number;
}

/** A view is never narrower than this part of all there is. */
const NARROWEST = 1 / 2_000;
const ZOOM = 0.5;
const PAN = 0.2;

/** Inside of all there is; null when it is all there is. */
export function held({ from, to }: View, all: View): View | null {
  const width = all.to - all.from;
  const wanted = Math.max(to - from, width * NARROWEST);
  if (!(width > 0) || wanted >= width) return null;
  const start = Math.min(Math.max(from, all.from), all.to - wanted);
  return { from: start, to: start + wanted };
}

/** What lies at `part` of the view's width stays there. */
function zoomed(view: View, factor: number, part = 0.5): View {
  const width = view.to - view.from;
  const from = view.from + width * part * (1 - factor);
  return { from, to: from + width * factor };
}

function panned(view: View, part: number): View {
  const by = (view.to - view.from) * part;
  return { from: view.from + by, to: view.to + by };
}

/** Wheels and touch pads turn by other amounts: as many pixels as a mouse's wheel does at once halve the view. */
const WHEEL_PX = 120;

/** What the wheel makes of the view: turned away from the hand it zooms in, about what is under the pointer. */
export function afterWheel(turned_px: number, part: number, view: View | null, all: View): View | null {
  return held(zoomed(view ?? all, 2 ** (turned_px / WHEEL_PX), part), all);
}

/** The paper goes with the hand: dragged by a part of the view's width to the right, what was before comes in. */
export function afterDrag(part: number, view: View | null, all: View): View | null {
  return held(panned(view ?? all, -part), all);
}

/** What a key makes of the view: undefined where it means nothing here, null for all there is. */
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
    case "Home":
    case "0":
      return null;
    default:
      return undefined;
  }
}
