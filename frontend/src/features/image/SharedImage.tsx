// An image as its link shows it: what it is, its figures and its downloads.
import { hasRecipe, type Image } from "../../api/client";
import { Mark } from "../../shared/ui/Mark";
import { PageHeader } from "../../shared/ui/PageHeader";
import { formatTime } from "../../shared/units";
import { ImageRecipe } from "./ImageRecipe";
import { ImageUse } from "./ImageUse";
import classes from "./SharedImage.module.css";
import { describe } from "./words";

export function SharedImage({ image }: { image: Image }) {
  const made = formatTime(image.created_at);
  return (
    <main className={classes.page}>
      <div className={classes.mark}>
        <Mark />
        Patina
      </div>
      <PageHeader title={image.name}>
        {describe(image)}, <span title={made.exact}>{made.text}</span>
        {image.account_name !== null && `, shared by ${image.account_name}`}
      </PageHeader>
      <div className="patina-stack">
        <ImageUse image={image} />
        {hasRecipe(image) && <ImageRecipe image={image} />}
      </div>
    </main>
  );
}
