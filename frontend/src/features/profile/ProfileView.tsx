// A profile in full: its three histograms, and where they come from.
import type { HistogramName, Profile } from "../../api/client";
import { HistogramFigure } from "../../shared/chart/HistogramFigure";
import { Figures } from "../../shared/ui/Figures";
import { Exact } from "../../shared/ui/Exact";
import { count, formatCount, formatTime } from "../../shared/units";
import { binsOf } from "./bins";

const names: readonly HistogramName[] = ["size", "depth", "age"];

export function ProfileView({ profile }: { profile: Profile }) {
  const version = profile.latest_version;
  const bins = binsOf(version);
  const folders = version.depth.reduce((sum, bin) => sum + bin.subdirs, 0);
  return (
    <>
      <div className="patina-charts">
        {names.map((name) => (
          <HistogramFigure key={name} axis={name} bins={bins[name]} />
        ))}
      </div>
      <div style={{ marginTop: 32 }}>
        <Figures
          label="About this profile"
          items={[
            { label: "Version", value: String(version.number) },
            { label: "Made", value: <Exact value={formatTime(version.created_at)} /> },
            { label: "Directories", value: <Exact value={formatCount(count(folders))} /> },
            { label: "Origin", value: profile.is_builtin ? "Built in" : "Made here" },
          ]}
        />
      </div>
      <section style={{ marginTop: 32, maxWidth: "80ch" }} aria-labelledby="source">
        <h2 id="source">Source</h2>
        <p>{profile.source}</p>
      </section>
    </>
  );
}
