// The versions of a profile, newest first: author, message, digest and exports of each.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Profile, ProfileVersionLink } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import { Panel } from "../../shared/ui/Panel";
import { formatTime } from "../../shared/units";
import { versionsQuery } from "./queries";
import classes from "./VersionList.module.css";
import { exportAddress, exportFormats } from "./words";
import { Rows } from "../../shared/ui/waiting/shapes";

function VersionRow({
  name,
  version,
  latest,
}: {
  name: string;
  version: ProfileVersionLink;
  latest: number;
}) {
  const { number, message, author, digest, created_at } = version;
  const made = formatTime(created_at);
  return (
    <li className={classes.version} aria-label={`Version ${number}`}>
      <div>
        <strong>Version {number}</strong> {message}
        <div className={classes.quiet}>
          {author !== "" && `${author}, `}
          <span title={made.exact}>{made.text}</span>
        </div>
      </div>
      <div className={classes.digest}>
        <Copyable text={digest} what={`the digest of version ${number}`} />
      </div>
      <div className={classes.files}>
        {exportFormats.map(({ format, title }) => (
          <a
            key={format}
            className="patina-link"
            href={exportAddress(name, number, format)}
            aria-label={`${title} of version ${number}`}
            download
          >
            {title}
          </a>
        ))}
        {number !== latest && (
          <Link
            className="patina-link"
            to="/profiles/$name/compare"
            params={{ name }}
            search={{ left: number, right: latest }}
          >
            Compare with {latest}
          </Link>
        )}
      </div>
    </li>
  );
}

export function VersionList({ profile }: { profile: Profile }) {
  const versions = useQuery(versionsQuery(profile.name));
  return (
    <section aria-labelledby="versions">
      <div className="patina-section">
        <h2 id="versions">Versions</h2>
        <span>A version never changes; its digest names it everywhere</span>
      </div>
      <Panel query={versions} skeleton={<Rows count={1} height={64} />}>
        {(items) => (
          <ul className="patina-list">
            {[...items]
              .sort((a, b) => b.number - a.number)
              .map((version) => (
                <VersionRow
                  key={version.number}
                  name={profile.name}
                  version={version}
                  latest={profile.latest_version.number}
                />
              ))}
          </ul>
        )}
      </Panel>
    </section>
  );
}
