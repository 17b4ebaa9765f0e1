// Links from a run that has kept its operation log to its twins, which hold the same files.
import { Group } from "@mantine/core";
import { LinkButton } from "../../../shared/ui/LinkButton";
import { bytes, formatBytes } from "../../../shared/units";

export function RunTwins({ run_id, log_bytes }: { run_id: number; log_bytes: number }) {
  const size = formatBytes(bytes(log_bytes));
  return (
    <section aria-labelledby="twins">
      <div className="patina-section">
        <h2 id="twins">Twins</h2>
        <span>
          operation log of <span title={size.exact}>{size.text}</span>, kept as long as the image
        </span>
      </div>
      <p className="patina-quiet">
        A twin holds the same files, written in another way: benchmark results differ for that reason alone.
        The <em>empty</em> twin repeats the operations on a larger device; the <em>unaged</em> twin creates
        each surviving file once, in order.
      </p>
      <Group gap="xs" mt="sm">
        <LinkButton variant="default" to="/devices" search={{ replay_of: run_id }}>
          Replay on another device…
        </LinkButton>
        <LinkButton variant="default" to="/devices" search={{ replay_of: run_id, survivors: true }}>
          Make the unaged twin…
        </LinkButton>
      </Group>
    </section>
  );
}
