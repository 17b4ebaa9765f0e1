// A profile in the gallery: its three histograms at a glance. It can be chosen for a comparison.
import { Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { HistogramName, Profile } from "../../api/client";
import { HistogramSparkline } from "../../shared/chart/histogram/HistogramPlot";
import { restrictionOf } from "../../shared/sharing";
import { binsOf } from "./bins";
import classes from "./ProfileCard.module.css";
import { plainOf } from "./words";

const names: readonly HistogramName[] = ["size", "depth", "age"];

interface Props {
  profile: Profile;
  isChosen: boolean;
  mayChoose: boolean;
  onChoose: () => void;
}

export function ProfileCard({ profile, isChosen, mayChoose, onChoose }: Props) {
  const bins = binsOf(profile.latest_version);
  return (
    <div className={classes.place}>
      <Link to="/profiles/$name" params={{ name: profile.name }} className={classes.card ?? ""}>
        <h2>{profile.title}</h2>
        <p className={classes.description}>{plainOf(profile.description)}</p>
        <span className={classes.histograms}>
          {names.map((name) => (
            <span key={name} className={classes.histogram}>
              <HistogramSparkline axis={name} bins={bins[name]} label={name} />
              <span aria-hidden>{name}</span>
            </span>
          ))}
        </span>
        <span className={classes.foot}>
          Version {profile.latest_version.number}
          {profile.is_builtin && ", built in"}
          {profile.visibility !== "everyone" && `, ${restrictionOf(profile.visibility)}`}
        </span>
      </Link>
      <Checkbox
        className={classes.choice ?? ""}
        size="xs"
        aria-label={`Choose ${profile.title}`}
        checked={isChosen}
        disabled={!mayChoose}
        onChange={onChoose}
      />
    </div>
  );
}
