// Pure: the part of the horizontal axis that is looked at, and how keys move it.

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

function zoomed(view: View, factor: number): View {
  const middle = (view.from + view.to) / 2;
  const half = ((view.to - view.from) * factor) / 2;
  return { from: middle - half, to: middle + half };
}

function panned(view: View, part: number): View {
  const by = (view.to - view.from) * part;
  return { from: view.from + by, to: view.to + by };
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
