// What an image is called and described as, and whether it is protected from deletion.
import { Group, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Image } from "../../../api/client";
import { includes, meQuery } from "../../../shared/me";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { WrittenText } from "../../../shared/ui/WrittenText";
import classes from "./ImageNames.module.css";
import { ImageNamings } from "./ImageNamings";
import { ImageTags } from "./ImageTags";
import { useChangeImage } from "./queries";
import { RenameImage } from "./RenameImage";

/** Returns the state of the change as the form of a text expects it. */
function useDescribe(image: Image) {
  const { mutate, isPending, error } = useChangeImage(image);
  return {
    mutate: (description: string, options: { onSuccess: () => void }) => mutate({ description }, options),
    isPending,
    error,
  };
}

export function ImageNames({ image }: { image: Image }) {
  const { data: me } = useQuery(meQuery);
  const protect = useChangeImage(image);
  const describing = useDescribe(image);
  const isChangeable = image.is_changeable && me?.role != null && includes(me.role, "member");
  return (
    <section aria-labelledby="names">
      <div className="patina-section">
        <h2 id="names">Description</h2>
      </div>
      <div className={classes.names} data-empty={image.description === "" && image.tags.length === 0}>
        {image.description === "" && !isChangeable && <span className="patina-quiet">None</span>}
        <div>
          <WrittenText
            text={image.description}
            what="description"
            saving={describing}
            isChangeable={isChangeable}
          />
        </div>
        <ImageTags image={image} isChangeable={isChangeable} />
        <Group gap="md">
          {isChangeable && <RenameImage image={image} />}
          <Switch
            label="Protected from deletion"
            checked={image.is_protected}
            disabled={!isChangeable || protect.isPending}
            onChange={(event) => protect.mutate({ is_protected: event.currentTarget.checked })}
          />
        </Group>
        {protect.isError && <RefusalNotice error={protect.error} />}
        <ImageNamings image={image} />
      </div>
    </section>
  );
}
