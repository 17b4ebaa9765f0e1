// The page of a link to one image, for readers without an account. The secret is the part of the address behind #.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EntryFrame } from "../../features/account/EntryFrame";
import { SharedImage } from "../../features/image/SharedImage";
import { sharedImageQuery } from "../../features/image/queries";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";

export function SharedPage() {
  const [token] = useState(() => location.hash.slice(1));
  const image = useQuery(sharedImageQuery(token));
  if (image.data !== undefined) return <SharedImage image={image.data} />;
  return (
    <EntryFrame title={image.isError ? "This link shows nothing" : "Opening the link"}>
      {image.isError ? (
        <RefusalNotice error={image.error} onRetry={() => void image.refetch()} />
      ) : (
        <div role="status" aria-label="Loading">
          <Skeleton height={240} />
        </div>
      )}
    </EntryFrame>
  );
}
