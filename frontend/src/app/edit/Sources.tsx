// Where histograms are taken from besides the hand.
import type { HistogramName } from "../../api/client";
import type { Overlay } from "../../features/profile/editor/Bars";
import type { DraftStore } from "../../features/profile/editor/store";

interface Props {
  store: DraftStore;
  onOverlay: (overlay: { histogram: HistogramName; weights: Overlay } | null) => void;
}

export function Sources(_: Props) {
  return null;
}
