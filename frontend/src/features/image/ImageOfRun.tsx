// The link to a run's image, once it exists.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { bytes, formatBytes } from "../../shared/units";
import { LinkButton } from "../../shared/ui/LinkButton";
import { imageOfRunQuery } from "./queries";

export function ImageOfRun({ run_id }: { run_id: number }) {
  const image = useQuery({
    ...imageOfRunQuery(run_id),
    refetchInterval: ({ state }) => (state.data ? false : 2_000),
  });
  // Keeps its place while the image is looked for.
  if (image.isPending) return <Button disabled>Open the image</Button>;
  if (!image.data) return null;
  return (
    <LinkButton
      to="/images/$imageId"
      params={{ imageId: String(image.data.id) }}
      title={`${image.data.name}, ${formatBytes(bytes(image.data.stored_bytes)).text} stored`}
    >
      Open the image
    </LinkButton>
  );
}
