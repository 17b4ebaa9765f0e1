// The error page: shown after a fault of the frontend, or when a part of it could not be loaded.
import { Button, Group } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";

export function BrokenPage({ error }: ErrorComponentProps) {
  return (
    <>
      <PageHeader title="This page could not be shown">
        No data is lost: jobs on the hosts continue.
      </PageHeader>
      <p role="alert" className="mono">
        {error instanceof Error ? error.message : String(error)}
      </p>
      <Group gap="xs" mt="md">
        <Button onClick={() => location.reload()}>Reload the page</Button>
        <LinkButton to="/devices" variant="default">
          Go to the devices
        </LinkButton>
      </Group>
    </>
  );
}
