// The bytes and chunks that two images share or not, and where they differ.
import { useQuery } from "@tanstack/react-query";
import type { Image, ImageDifference } from "../../../api/client";
import { BlockMap } from "../../../shared/chart/grid/BlockMap";
import { cellsOfDifference } from "../../../shared/chart/grid/blockMap";
import { Exact } from "../../../shared/ui/Exact";
import { Figures } from "../../../shared/ui/Figures";
import { Plot } from "../../../shared/ui/waiting/shapes";
import { Panel } from "../../../shared/ui/Panel";
import { bytes, count, formatBytes, formatCount, formatFraction, fraction } from "../../../shared/units";
import { differenceQuery } from "../queries";

const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;
const number = (value: number) => <Exact value={formatCount(count(value))} />;

function Difference({ difference }: { difference: ImageDifference }) {
  const { first, second, changed_bytes, changed_extents_count, shared, only_first, only_second } = difference;
  const image_bytes = Math.max(difference.first_bytes, difference.second_bytes);
  if (changed_bytes === 0) return <p>The two images are equal, byte by byte.</p>;
  const share = formatFraction(fraction(changed_bytes / image_bytes));
  return (
    <div className="patina-stack">
      <Figures
        label="Figures of the difference"
        items={[
          {
            label: "Differs",
            value: size(changed_bytes),
            note: (
              <>
                <Exact value={share} /> of the device, in {number(changed_extents_count)}{" "}
                {changed_extents_count === 1 ? "extent" : "extents"}
              </>
            ),
          },
          { label: "In both", value: size(shared.bytes), note: <>{number(shared.chunks_count)} chunks</> },
          {
            label: `Only in ${first.name}`,
            value: size(only_first.bytes),
            note: <>{number(only_first.chunks_count)} chunks</>,
          },
          {
            label: `Only in ${second.name}`,
            value: size(only_second.bytes),
            note: <>{number(only_second.chunks_count)} chunks</>,
          },
        ]}
      />
      <BlockMap title="Where they differ" cells={cellsOfDifference(difference)} />
    </div>
  );
}

export function BytesDifference({ first, second }: { first: Image; second: Image }) {
  const difference = useQuery(differenceQuery(first.id, second.id));
  return (
    <section aria-labelledby="bytes">
      <div className="patina-section">
        <h2 id="bytes">Bytes</h2>
        <span>Compared by chunks: a chunk with one changed byte differs as a whole</span>
      </div>
      <Panel query={difference} skeleton={<Plot height={220} />}>
        {(data) => <Difference difference={data} />}
      </Panel>
    </section>
  );
}
