// Compares an image with the one that it reproduces.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Refusal, type Image, type Reproduction } from "../../../api/client";
import { Copyable } from "../../../shared/ui/Copyable";
import { Figures } from "../../../shared/ui/Figures";
import { Panel } from "../../../shared/ui/Panel";
import { reproductionQuery } from "./queries";
import classes from "./ImageReproduction.module.css";
import { TextLines } from "../../../shared/ui/waiting/shapes";

function words(isSame: boolean | null): string {
  if (isSame === null) return "not measured";
  return isSame ? "the same" : "differs";
}

function Digests({ reproduction: { layout_digest, layout_digest_before } }: { reproduction: Reproduction }) {
  if (layout_digest === null || layout_digest_before === null) return null;
  return (
    <dl className={classes.digests}>
      <dt>Layout digest</dt>
      <dd>
        <Copyable text={layout_digest} what="layout digest" />
      </dd>
      {layout_digest !== layout_digest_before && (
        <>
          <dt>Before</dt>
          <dd>
            <Copyable text={layout_digest_before} what="earlier layout digest" />
          </dd>
        </>
      )}
    </dl>
  );
}

function Comparison({ reproduction }: { reproduction: Reproduction }) {
  const { has_same_plan, has_same_layout, has_same_extents, differences } = reproduction;
  return (
    <>
      <Figures
        label="Compared"
        items={[
          { label: "Plan", value: words(has_same_plan), note: "the operations" },
          { label: "Layout", value: words(has_same_layout), note: "files and free space" },
          { label: "Extents", value: words(has_same_extents), note: "files alone" },
        ]}
      />
      <Digests reproduction={reproduction} />
      {differences.length === 0 ? (
        <p className="patina-quiet">The two recipes are equal.</p>
      ) : (
        <table className={classes.differences}>
          <caption>What differs in the recipes</caption>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Before</th>
              <th scope="col">Now</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ name, before, now }) => (
              <tr key={name}>
                <th scope="row">{name.replaceAll("_", " ")}</th>
                <td>{before}</td>
                <td>{now}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

export function ImageReproduction({ image }: { image: Image }) {
  const reproduction = useQuery({ ...reproductionQuery(image.id), enabled: image.reproduces_id !== null });
  const { error } = reproduction;
  // Deleted, or not shown to this account.
  const isGone = error instanceof Refusal && error.code === "not_a_reproduction";
  if (image.reproduces_id === null || isGone) return null;
  return (
    <section aria-labelledby="reproduction">
      <div className="patina-section">
        <h2 id="reproduction">The recipe, run again</h2>
        {reproduction.data !== undefined && (
          <span>
            Compared with{" "}
            <Link
              to="/images/$imageId"
              params={{ imageId: String(reproduction.data.image.id) }}
              className="mono patina-link"
            >
              {reproduction.data.image.name}
            </Link>
          </span>
        )}
      </div>
      <Panel query={reproduction} skeleton={<TextLines count={3} />}>
        {(data) => <Comparison reproduction={data} />}
      </Panel>
    </section>
  );
}
