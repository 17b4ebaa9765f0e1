// The bins that this capacity cannot represent.
import type { SetAsideBin } from "../../api/client";
import { Term } from "../help/Term";
import { formatEdge, formatFraction, fraction } from "../units";

const reasons = { too_large: "too large for this capacity", too_rare: "too rare at this scale" } as const;

export function SetAsideNote({ bins }: { bins: readonly SetAsideBin[] }) {
  if (bins.length === 0) return <p style={{ marginTop: 12, fontSize: 13 }}>Every bin of the profile fits.</p>;
  return (
    <div style={{ marginTop: 12, fontSize: 13 }}>
      <div>
        {bins.length === 1 ? "1 bin is " : `${bins.length} bins are `}
        <Term of="set-aside">set aside</Term>:
      </div>
      <ul style={{ margin: 0, paddingLeft: 20 }}>
        {bins.map((bin) => (
          <li key={`${bin.histogram} ${bin.edge}`}>
            {bin.histogram} {formatEdge(bin.histogram, bin.edge)},{" "}
            {formatFraction(fraction(bin.target_fraction)).text} of the profile, {reasons[bin.reason]}
          </li>
        ))}
      </ul>
    </div>
  );
}
