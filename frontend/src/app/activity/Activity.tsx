// The link to the panel Activity, on every page, and the panel while the address names it.
import { IconActivity } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { openJobsQuery } from "../../features/activity/queries";
import { arriving } from "../../shared/arriving";

const ActivityPanel = lazy(async () => ({
  default: (await arriving(() => import("./ActivityPanel"))).ActivityPanel,
}));

export function OpenActivity({ className }: { className: string }) {
  const { data: jobs = [] } = useQuery(openJobsQuery);
  return (
    <Link to="." search={(old) => ({ ...old, activity: 0 })} className={className} aria-haspopup="dialog">
      <IconActivity size={18} stroke={1.6} aria-hidden />
      Activity
      {jobs.length > 0 && <span title={`${jobs.length} running or waiting`}>{jobs.length}</span>}
    </Link>
  );
}

function without<Search extends { activity?: number }>(search: Search): Omit<Search, "activity"> {
  const { activity: _activity, ...others } = search;
  return others;
}

export function Activity() {
  const { activity } = useSearch({ from: "__root__" });
  const navigate = useNavigate();
  if (activity === undefined) return null;
  const close = () => void navigate({ to: ".", search: without, replace: true });
  return (
    <Suspense>
      <ActivityPanel chosen={activity} onClose={close} />
    </Suspense>
  );
}
