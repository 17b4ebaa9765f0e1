// A button below a list in pages that loads the next page.
import { Button, type ButtonProps } from "@mantine/core";

interface Props extends Pick<ButtonProps, "size" | "mt"> {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  /** The name of the entries: "runs". */
  what: string;
}

export function ShowOlder({ query, what, ...button }: Props) {
  if (!query.hasNextPage) return null;
  return (
    <Button
      variant="default"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
      {...button}
    >
      Show older {what}
    </Button>
  );
}
