// The empty Devices page, with a button that makes the first sandbox device.
import { Button, Group } from "@mantine/core";
import { Empty } from "../../shared/ui/Empty";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useMakeSandbox } from "./queries";

export function FirstSandbox({ onEmulate }: { onEmulate: () => void }) {
  const make = useMakeSandbox();
  return (
    <Empty
      title="No sandbox device yet"
      action={
        <Group gap="xs" justify="center">
          <Button
            loading={make.isPending}
            onClick={() => make.mutate({ size_bytes: 2 ** 30, medium: "file" })}
          >
            Make a 1 GiB sandbox device
          </Button>
          <Button variant="default" onClick={onEmulate}>
            Emulate a 1 TiB disk…
          </Button>
        </Group>
      }
    >
      A sandbox device is a real block device over a sparse file of its own. Age it, look at the result,
      remove it: no disk of this machine is touched.
      {make.isError && <RefusalNotice error={make.error} />}
    </Empty>
  );
}
