// A page that could not be shown, by a fault of ours or because a part of it did not arrive; and the ways on.
import { Button, Group } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";

export function BrokenPage({ error }: ErrorComponentProps) {
  return (
    <>
      <PageHeader title="This page could not be shown">
        Nothing is lost: what runs on the hosts goes on.
      </PageHeader>
      <p role="alert" className="mono">
        {error instanceof Error ? error.message : String(error)}
      </p>
      <Group gap="xs" mt="md">
        <Button onClick={() => location.reload()}>Load it again</Button>
        <LinkButton to="/devices" variant="default">
          Go to the devices
        </LinkButton>
      </Group>
    </>
  );
}
