// A field for the version of a profile, and a sketch of its histograms.
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { HistogramName, Profile } from "../../api/client";
import { binsOf } from "../../features/profile/bins";
import { versionQuery, versionsQuery } from "../../features/profile/queries";
import { plainOf } from "../../features/profile/words";
import { HistogramSparkline } from "../../shared/chart/histogram/HistogramPlot";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./AgeDialog.module.css";

const names: readonly HistogramName[] = ["size", "depth", "age"];

function Sketch({ profile, number }: { profile: Profile; number: number }) {
  const { latest_version: latest } = profile;
  const earlier = useQuery({ ...versionQuery(profile.name, number), enabled: number !== latest.number });
  const bins = binsOf(number === latest.number ? latest : (earlier.data ?? latest));
  return (
    <div className={classes.sparklines}>
      {names.map((name) => (
        <span key={name}>
          <HistogramSparkline axis={name} bins={bins[name]} label={name} />
          <span aria-hidden>{name}</span>
        </span>
      ))}
    </div>
  );
}

interface Props {
  profile: Profile;
  /** Null: the latest. */
  number: number | null;
  onChange: (number: number | null) => void;
}

const LATEST = "latest";

export function VersionField({ profile, number, onChange }: Props) {
  const latest = profile.latest_version.number;
  const versions = useQuery({ ...versionsQuery(profile.name), enabled: latest > 1 });
  const earlier = (versions.data ?? []).filter((version) => version.number !== latest);
  // The one that an earlier run had stays a choice while the others load.
  const listed = earlier.some((version) => version.number === number) || number === null || number === latest;
  const choices = [
    { value: LATEST, label: `Version ${latest}, the latest` },
    ...(listed ? [] : [{ value: String(number), label: `Version ${number}` }]),
    ...earlier.map((version) => ({
      value: String(version.number),
      label: `Version ${version.number}${version.message === "" ? "" : `: ${version.message}`}`,
    })),
  ];
  return (
    <>
      <p className={classes.description}>{plainOf(profile.description)}</p>
      {latest > 1 && (
        <Select
          label="Version"
          mt="xs"
          data={choices}
          value={number === null || number === latest ? LATEST : String(number)}
          onChange={(value) => onChange(value === LATEST ? null : Number(value))}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
      )}
      {versions.isError && <RefusalNotice error={versions.error} onRetry={() => void versions.refetch()} />}
      <Sketch profile={profile} number={number ?? latest} />
    </>
  );
}
