// The provider's identity that signs in to the own account: connected, disconnected.
import { Button, Group } from "@mantine/core";
import type { Identity as Connected } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { formatTime } from "../../shared/units";
import { useDisconnect, useProvider } from "./queries";

export function Identity({ provider, identity }: { provider: string; identity: Connected | null }) {
  const connect = useProvider();
  const disconnect = useDisconnect();
  const since = identity === null ? null : formatTime(identity.created_at);
  return (
    <>
      <Group gap="md">
        <span>
          {identity === null || since === null ? (
            "Not connected."
          ) : (
            <>
              Connected with <strong>{identity.title}</strong> since{" "}
              <span title={since.exact}>{since.text}</span>.
            </>
          )}
        </span>
        {identity === null ? (
          <Button
            variant="default"
            loading={connect.isPending}
            onClick={() => connect.mutate({ return_path: "/account", is_connecting: true })}
          >
            Connect with {provider}
          </Button>
        ) : (
          <Button
            variant="default"
            loading={disconnect.isPending}
            onClick={() => disconnect.mutate(undefined)}
          >
            Disconnect
          </Button>
        )}
      </Group>
      {connect.isError && <RefusalNotice error={connect.error} />}
      {disconnect.isError && <RefusalNotice error={disconnect.error} />}
    </>
  );
}
