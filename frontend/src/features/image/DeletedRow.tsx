// A deleted image, with the button that brings it back.
import { Button } from "@mantine/core";
import type { DeletedImage } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { May } from "../../shared/ui/May";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import classes from "./DeletedRow.module.css";
import { useBringBackImage } from "./queries";

interface Props {
  image: DeletedImage;
  onBack: (image: DeletedImage) => void;
}

export function DeletedRow({ image, onBack }: Props) {
  const bringBack = useBringBackImage(() => onBack(image));
  return (
    <li className={classes.row}>
      <div>
        <span className={`mono ${classes.name}`}>{image.name}</span>
        <p className="patina-quiet">
          {image.file_system ?? "unknown content"}, <Exact value={formatBytes(bytes(image.size_bytes))} />,
          deleted <Exact value={formatTime(image.deleted_at)} />. It can be brought back until{" "}
          <Exact value={formatTime(image.kept_until)} />.
        </p>
        {bringBack.isError && <RefusalNotice error={bringBack.error} />}
      </div>
      {image.is_changeable && (
        <May needs="member">
          <Button
            variant="default"
            loading={bringBack.isPending}
            onClick={() => bringBack.mutate(image.id)}
            aria-label={`Bring it back: ${image.name}`}
          >
            Bring it back
          </Button>
        </May>
      )}
    </li>
  );
}
