// Below a list that comes in pages: the next page, while there is one.
import { Button, type ButtonProps } from "@mantine/core";

interface Props extends Pick<ButtonProps, "size" | "mt"> {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  /** What is listed: "runs". */
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
