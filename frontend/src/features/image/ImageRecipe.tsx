// The recipe of an image, to copy.
import { Button, CopyButton, Group } from "@mantine/core";
import type { ReactNode } from "react";
import type { ImageOfAging } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import classes from "./ImageRecipe.module.css";
import { recipeRows } from "./recipeRows";

const copied: ReadonlySet<string> = new Set([
  "Profile digest",
  "Replayed digest",
  "Seed",
  "Plan digest",
  "Make file system",
  "UUID",
]);

function CopyRecipe({ image }: { image: ImageOfAging }) {
  return (
    <CopyButton value={JSON.stringify(image.recipe, null, 2)}>
      {({ copied: isCopied, copy }) => (
        <Button variant="default" size="compact-sm" onClick={copy}>
          {isCopied ? "Copied the recipe" : "Copy the recipe as JSON"}
        </Button>
      )}
    </CopyButton>
  );
}

export function ImageRecipe({ image, action }: { image: ImageOfAging; action?: ReactNode }) {
  return (
    <section aria-labelledby="recipe">
      <div className={classes.head}>
        <h2 id="recipe">{image.parent === null ? "Recipe" : "Recipe of its parent"}</h2>
        <span className={classes.hint}>
          A run with the same recipe makes the same plan, with the same digest.
        </span>
        <Group gap="xs" ml="auto">
          {action}
          <CopyRecipe image={image} />
        </Group>
      </div>
      <dl className={classes.rows}>
        {recipeRows(image).map(([label, value]) =>
          value === null || value === "" ? null : (
            <div key={label} className={classes.row}>
              <dt>{label}</dt>
              <dd>
                {copied.has(label) ? (
                  <Copyable text={String(value)} what={label.toLowerCase()} />
                ) : (
                  <span className="mono">{value}</span>
                )}
              </dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
