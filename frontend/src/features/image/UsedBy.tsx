// The lineage of an image as a tree, and the devices and trials that use it.
import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Image, ImageUse, LineageImage } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { TextLines } from "../../shared/ui/waiting/shapes";
import { Panel } from "../../shared/ui/Panel";
import { formatTime } from "../../shared/units";
import { usesQuery } from "./queries";
import classes from "./UsedBy.module.css";

function Node({ node, isThis }: { node: LineageImage; isThis: boolean }) {
  const name = isThis ? (
    <strong className="mono" aria-current="true">
      {node.name}
    </strong>
  ) : (
    <Link to="/images/$imageId" params={{ imageId: String(node.id) }} className="patina-link mono">
      {node.name}
    </Link>
  );
  return (
    <li className={classes.node} style={{ paddingInlineStart: node.depth * 20 }}>
      {node.depth > 0 && <span className={classes.branch} aria-hidden />}
      {node.depth > 0 && <VisuallyHidden>{`Generation ${node.depth}: `}</VisuallyHidden>}
      {name}
      <span className="patina-quiet">
        {node.is_deleted ? "deleted" : <Exact value={formatTime(node.created_at)} />}
      </span>
    </li>
  );
}

/** Shows nothing for an image without a parent and without children. */
function Lineage({ image, nodes }: { image: Image; nodes: readonly LineageImage[] }) {
  if (nodes.length < 2) return null;
  return (
    <div>
      <h3 className={classes.title}>Lineage</h3>
      <ul className={classes.tree} aria-label="Lineage">
        {nodes.map((node) => (
          <Node key={node.id} node={node} isThis={node.id === image.id} />
        ))}
      </ul>
    </div>
  );
}

function Uses({ use: { devices, trials } }: { use: ImageUse }) {
  if (devices.length + trials.length === 0)
    return <p className="patina-quiet">No device holds this image, and no trial measures it.</p>;
  return (
    <ul className={classes.uses} aria-label="Uses">
      {devices.map(({ id, name }) => (
        <li key={`device ${id}`}>
          Held by{" "}
          <Link to="/devices" className="patina-link mono">
            {name}
          </Link>
        </li>
      ))}
      {trials.map(({ id, name, state }) => (
        <li key={`trial ${id}`}>
          Measured by{" "}
          <Link to="/trials/$trialId" params={{ trialId: String(id) }} className="patina-link">
            {name === "" ? `trial ${id}` : name}
          </Link>
          , {state}
        </li>
      ))}
    </ul>
  );
}

export function UsedBy({ image }: { image: Image }) {
  const use = useQuery(usesQuery(image.id));
  return (
    <section aria-labelledby="used-by">
      <div className="patina-section">
        <h2 id="used-by">Used by</h2>
      </div>
      <Panel query={use} skeleton={<TextLines count={2} />}>
        {(data) => (
          <div className={classes.both}>
            <Uses use={data} />
            <Lineage image={image} nodes={data.lineage} />
          </div>
        )}
      </Panel>
    </section>
  );
}
