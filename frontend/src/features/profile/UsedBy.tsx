// What used the versions of a profile: runs, images and trials, counted, with links to the newest.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { Profile, ProfileUse, ProfileUses, ProfileVersionUses } from "../../api/client";
import { Rows } from "../../shared/ui/waiting/shapes";
import { Panel } from "../../shared/ui/Panel";
import { count, formatCount } from "../../shared/units";
import { usesQuery } from "./queries";
import classes from "./UsedBy.module.css";

const kinds = [
  {
    kind: "runs",
    one: "run",
    link: ({ id }: ProfileUse) => (
      <Link to="/runs/$runId" params={{ runId: String(id) }} className="patina-link">
        run {id}
      </Link>
    ),
  },
  {
    kind: "images",
    one: "image",
    link: ({ id, name }: ProfileUse) => (
      <Link to="/images/$imageId" params={{ imageId: String(id) }} className="patina-link">
        {name}
      </Link>
    ),
  },
  {
    kind: "trials",
    one: "trial",
    link: ({ id, name }: ProfileUse) => (
      <Link to="/trials/$trialId" params={{ trialId: String(id) }} className="patina-link">
        {name === "" ? `trial ${id}` : name}
      </Link>
    ),
  },
] as const;

interface KindProps {
  uses: ProfileUses;
  one: string;
  link: (use: ProfileUse) => ReactNode;
  /** The list of all of them. */
  all: ReactNode;
}

function OfKind({ uses, one, link, all }: KindProps) {
  const left = uses.count - uses.newest.length;
  if (uses.count === 0) return <div className="patina-quiet">no {one}s</div>;
  return (
    <div>
      <strong>
        {formatCount(count(uses.count)).text} {uses.count === 1 ? one : `${one}s`}
      </strong>
      <div className={classes.links}>
        {uses.newest.map((use) => (
          <Fragment key={use.id}>{link(use)}</Fragment>
        ))}
        {left > 0 && (
          <span className="patina-quiet">
            and {formatCount(count(left)).text} older {all}
          </span>
        )}
      </div>
    </div>
  );
}

function Version({ name, version }: { name: string; version: ProfileVersionUses }) {
  const { number } = version;
  const all = {
    runs: (
      <Link to="/runs" search={{ profile: [name] }} className="patina-link">
        all runs
      </Link>
    ),
    images: (
      <Link to="/images" search={{ profile: [name] }} className="patina-link">
        all images
      </Link>
    ),
    trials: null,
  };
  return (
    <li className={classes.version} aria-label={`Uses of version ${number}`}>
      <div>Version {number}</div>
      {kinds.map(({ kind, one, link }) => (
        <OfKind key={kind} uses={version[kind]} one={one} link={link} all={all[kind]} />
      ))}
    </li>
  );
}

export function UsedBy({ profile }: { profile: Profile }) {
  const uses = useQuery(usesQuery(profile.name));
  return (
    <section aria-labelledby="used-by">
      <div className="patina-section">
        <h2 id="used-by">Used by</h2>
        <span>Of each version, the newest uses</span>
      </div>
      <Panel query={uses} skeleton={<Rows count={1} height={64} />}>
        {(items) =>
          items.length === 0 ? (
            <p className="patina-quiet">No run, image or trial uses this profile yet.</p>
          ) : (
            <ul className="patina-list">
              {items.map((version) => (
                <Version key={version.number} name={profile.name} version={version} />
              ))}
            </ul>
          )
        }
      </Panel>
    </section>
  );
}
