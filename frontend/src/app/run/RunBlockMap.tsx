// The block map of a run: free space while it ages, the use of every block once there is an image.
import { useQuery } from "@tanstack/react-query";
import type { Space } from "../../api/client";
import { imageOfRunQuery, layoutQuery } from "../../features/image/queries";
import { BlockMap } from "../../shared/chart/grid/BlockMap";
import { cellsOfMap, cellsOfSpace } from "../../shared/chart/grid/blockMap";
import { count, formatCount } from "../../shared/units";

const LATE = "Deleted blocks count as in use until the file system commits.";

interface Props {
  run_id: number;
  space: Space | null;
  isSucceeded: boolean;
}

export function RunBlockMap({ run_id, space, isSucceeded }: Props) {
  const image = useQuery({ ...imageOfRunQuery(run_id), enabled: isSucceeded });
  const layout = useQuery({ ...layoutQuery(image.data?.id ?? 0), enabled: image.data != null });
  const map = layout.data?.block_map;
  if (map != null) return <BlockMap cells={cellsOfMap(map)} when="In the image of this run" />;
  if (space === null) return null;
  const ops = formatCount(count(space.ops_count)).text;
  return <BlockMap cells={cellsOfSpace(space)} when={`After ${ops} operations`} note={LATE} />;
}
