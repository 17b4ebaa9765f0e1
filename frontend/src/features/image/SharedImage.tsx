// An image as its link shows it: what it is, its figures and its downloads.
import { hasRecipe, type Image } from "../../api/client";
import { SharedFrame } from "../../shared/ui/SharedFrame";
import { formatTime } from "../../shared/units";
import { ImageRecipe } from "./ImageRecipe";
import { ImageDownloads } from "./ImageDownloads";
import { describe } from "./words";

export function SharedImage({ image }: { image: Image }) {
  const made = formatTime(image.created_at);
  const about = (
    <>
      {describe(image)}, <span title={made.exact}>{made.text}</span>
    </>
  );
  return (
    <SharedFrame title={image.name} about={about} accountName={image.account_name}>
      <ImageDownloads image={image} />
      {hasRecipe(image) && <ImageRecipe image={image} />}
    </SharedFrame>
  );
}
