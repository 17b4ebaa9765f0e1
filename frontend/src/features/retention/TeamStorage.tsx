// What the images of a team take.
import { useQuery } from "@tanstack/react-query";
import { Exact } from "../../shared/ui/Exact";
import { Figures } from "../../shared/ui/Figures";
import { Panel } from "../../shared/ui/Panel";
import { bytes, count, formatBytes, formatCount } from "../../shared/units";
import { storageQuery } from "./queries";
import { FigureLines } from "../../shared/ui/waiting/shapes";

function size(value: number | null) {
  return value === null ? "–" : <Exact value={formatBytes(bytes(value))} />;
}

export function TeamStorage({ team_id }: { team_id: number }) {
  const storage = useQuery(storageQuery(team_id));
  return (
    <section aria-labelledby="storage">
      <div className="patina-section">
        <h2 id="storage">Storage</h2>
        <span>Of the images that only this team sees</span>
      </div>
      <Panel query={storage} skeleton={<FigureLines count={3} />}>
        {(data) => (
          <>
            <Figures
              label="Storage of the team"
              items={[
                { label: "Images", value: formatCount(count(data.images_count)).text },
                { label: "Devices", value: size(data.size_bytes) },
                { label: "Stored for it alone", value: size(data.own_bytes) },
                { label: "Shared with other images", value: size(data.shared_bytes) },
              ]}
            />
            {data.elsewhere_count > 0 && (
              <p className="patina-quiet">
                The chunks of {data.elsewhere_count} more are in another host&apos;s store, and are not
                counted.
              </p>
            )}
          </>
        )}
      </Panel>
    </section>
  );
}
