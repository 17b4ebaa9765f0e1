// A profile in full: its description, its three histograms, and their source.
import { Badge } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { HistogramName, Profile } from "../../api/client";
import { HistogramFigure } from "../../shared/chart/histogram/HistogramFigure";
import { Exact } from "../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import { count, formatCount, formatTime } from "../../shared/units";
import { binsOf } from "./bins";
import { Markdown } from "../../shared/ui/Markdown";
import classes from "./ProfileView.module.css";

const names: readonly HistogramName[] = ["size", "depth", "age"];

function figuresOf({ latest_version, is_builtin, parent, archived_at }: Profile): FigureItem[] {
  const folders = latest_version.depth.reduce((sum, bin) => sum + bin.subdirs, 0);
  const items: FigureItem[] = [
    { label: "Version", value: String(latest_version.number) },
    { label: "Made", value: <Exact value={formatTime(latest_version.created_at)} /> },
    { label: "Directories", value: <Exact value={formatCount(count(folders))} />, note: "below the root" },
    { label: "Origin", value: is_builtin ? "Built in" : "Made here" },
  ];
  if (parent !== null) {
    items.push({
      label: "Fork of",
      value: (
        <Link to="/profiles/$name" params={{ name: parent.name }} className="patina-link">
          {parent.name}
        </Link>
      ),
      note: `version ${parent.number}`,
    });
  }
  if (archived_at !== null)
    items.push({ label: "Archived", value: <Exact value={formatTime(archived_at)} /> });
  return items;
}

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul className={classes.tags} aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <Link to="/profiles" search={{ tag }} className={classes.tag ?? ""}>
            <Badge variant="outline" color="gray" tt="none" fw={400} className={classes.badge ?? ""}>
              {tag}
            </Badge>
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function ProfileView({ profile }: { profile: Profile }) {
  const bins = binsOf(profile.latest_version);
  return (
    <>
      {(profile.description !== "" || profile.tags.length > 0) && (
        <div>
          <Markdown text={profile.description} />
          <Tags tags={profile.tags} />
        </div>
      )}
      <div className="patina-charts">
        {names.map((name) => (
          <HistogramFigure key={name} axis={name} bins={bins[name]} />
        ))}
      </div>
      <Figures label="About this profile" items={figuresOf(profile)} />
      {profile.source !== "" && (
        <section className={classes.source} aria-labelledby="source">
          <h2 id="source">Source</h2>
          <p>{profile.source}</p>
        </section>
      )}
    </>
  );
}
