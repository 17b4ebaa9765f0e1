// A panel with three states: a skeleton in the shape of the content, an error with retry, the content.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { RefusalNotice } from "./RefusalNotice";
import { Soon } from "./waiting/shapes";

interface Props<Data> {
  query: UseQueryResult<Data>;
  skeleton: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Keeps old data on the page when a refresh fails, below the error. */
export function Panel<Data>({ query, skeleton, children }: Props<Data>) {
  const retry = () => void query.refetch();
  if (query.data === undefined) {
    if (query.isError) return <RefusalNotice error={query.error} onRetry={retry} />;
    return (
      <div role="status" aria-label="Loading">
        <Soon>{skeleton}</Soon>
      </div>
    );
  }
  return (
    <>
      {query.isError && (
        <div style={{ marginBottom: 16 }}>
          <RefusalNotice error={query.error} onRetry={retry} />
        </div>
      )}
      {children(query.data)}
    </>
  );
}
