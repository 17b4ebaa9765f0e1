// A notice on an image whose layout depends on the speed of its aging, with a link to age again.
import type { AgedImage } from "../../api/client";
import { LinkButton } from "../../shared/ui/LinkButton";
import classes from "./UnboundedNotice.module.css";

export function UnboundedNotice({ image }: { image: AgedImage }) {
  if (image.recipe.mode !== "unbounded") return null;
  return (
    <aside className={classes.notice} aria-label="Aged with unbounded reuse lag">
      <div className={classes.words}>
        <p>Aged with unbounded reuse lag</p>
        <p className={classes.next}>
          Freed space was not reusable until the file system committed by itself. The layout depends on how
          fast the device was aged.
        </p>
      </div>
      <LinkButton
        variant="default"
        size="compact-sm"
        to="/devices"
        search={{ like: image.run_id, mode: "faithful" }}
      >
        Age again
      </LinkButton>
    </aside>
  );
}
