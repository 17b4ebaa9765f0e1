// A comparison of runs, with their images.
import { LostHost, LostHostMark } from "../../features/host/LostHost";
import { CompareView } from "../../features/run/compare/CompareView";
import { useImagesOf } from "./useImagesOf";

interface Props {
  run_ids: readonly number[];
  onLeaveOut?: (run_id: number) => void;
}

/** Callers key it by its runs: other runs are another comparison. */
export function Comparison({ run_ids, onLeaveOut }: Props) {
  const images = useImagesOf(run_ids);
  return (
    <CompareView
      run_ids={run_ids}
      images={images}
      hostNotice={(host, ids) => <LostHost host={host} run_ids={ids} />}
      hostMark={(host) => <LostHostMark host={host} />}
      {...(onLeaveOut && { onLeaveOut })}
    />
  );
}
