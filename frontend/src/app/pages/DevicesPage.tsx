// Devices, the home page: every device of every host, live, with the button that ages it.
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DeviceItem } from "../../api/client";
import { DeviceActions } from "../../features/action/DeviceActions";
import { DeviceWork } from "../../features/action/DeviceWork";
import { HoldingLine } from "../../features/action/HoldingLine";
import { AttachedDevices } from "../../features/device/AttachedDevices";
import { DeviceCard } from "../../features/device/DeviceCard";
import { FirstSandbox } from "../../features/device/FirstSandbox";
import { devicesQuery } from "../../features/device/queries";
import { SandboxForm } from "../../features/device/SandboxForm";
import { hostsQuery } from "../../features/host/queries";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { AgeDialog } from "../age/AgeDialog";
import type { Preferred } from "../age/preferred";
import { BatchDialog } from "../age/BatchDialog";
import { ChosenDevices, DeviceChoice, mayAge } from "../age/ChooseDevices";
import { DeviceHistory } from "../device/DeviceHistory";
import { RestoreDialog } from "../restore/RestoreDialog";
import { isPlacing, Placing } from "../place/Placing";

const coming = <Skeleton height={236} />;

function Cards() {
  return (
    <div className="patina-cards">
      {coming}
      {coming}
      {coming}
    </div>
  );
}

interface ListProps {
  devices: readonly DeviceItem[];
  onAge: (device: DeviceItem) => void;
  onRestore: (device: DeviceItem) => void;
  /** Whether an image was chosen, which a device is now chosen for. */
  isForRestore: boolean;
  /** Whether an aging was chosen, which a device is now chosen for. */
  isForAging: boolean;
  /** The devices chosen to be aged together; null while no choice is open. */
  several: readonly number[] | null;
  onChoose: (several: readonly number[]) => void;
}

/** Reports whether a device has a card: a card offers actions, and a protected device has none. */
function hasCard(device: DeviceItem): boolean {
  const isUsed = device.state === "available" || device.state === "busy";
  return device.kind === "sandbox" || isUsed;
}

function DeviceList({ devices, onAge, onRestore, isForRestore, isForAging, several, onChoose }: ListProps) {
  const cards = devices.filter(hasCard);
  const others = devices.filter((device) => !hasCard(device));
  return (
    <div className="patina-stack">
      <section aria-label="Devices">
        {cards.length === 0 ? (
          <May needs="member" otherwise={<p className="patina-quiet">No sandbox device yet.</p>}>
            <FirstSandbox />
          </May>
        ) : (
          <div className="patina-cards">
            {cards.map((device) => (
              <DeviceCard
                key={device.id}
                device={device}
                onAge={onAge}
                choice={several && <DeviceChoice device={device} chosen={several} onChoose={onChoose} />}
                holding={<HoldingLine device={device} />}
                progress={<DeviceWork device={device} />}
                history={<DeviceHistory device={device} />}
                isForRestore={isForRestore}
                isForAging={isForAging}
                actions={
                  <DeviceActions
                    device={device}
                    isForRestore={isForRestore}
                    isForAging={isForAging}
                    onRestore={onRestore}
                  />
                }
              />
            ))}
          </div>
        )}
      </section>
      {others.length > 0 && (
        <section aria-labelledby="attached">
          <div className="patina-section" style={{ borderBottom: 0, marginBottom: 0 }}>
            <h2 id="attached">Other attached devices</h2>
            <span>Patina writes only to devices on their host&apos;s allow-list</span>
          </div>
          <AttachedDevices devices={others} />
        </section>
      )}
    </div>
  );
}

/** The choice of several devices, and then the dialog that ages them. */
function useSeveral(devices: readonly DeviceItem[], preferred: Preferred) {
  const [several, setSeveral] = useState<readonly number[] | null>(null);
  const [isAging, setAging] = useState(false);
  const chosen = devices.filter(({ id }) => several?.includes(id));
  const [first, ...others] = chosen;
  const stop = () => setSeveral(null);
  const bar = several && (
    <ChosenDevices chosen={chosen.map(({ id }) => id)} onAge={() => setAging(true)} onCancel={stop} />
  );
  const dialog = isAging && first !== undefined && others.length > 0 && (
    <BatchDialog devices={[first, ...others]} preferred={preferred} onClose={() => setAging(false)} />
  );
  return { several, setSeveral, bar, dialog };
}

export function DevicesPage({ preferred }: { preferred: Preferred }) {
  const devices = useQuery(devicesQuery);
  const hosts = useQuery(hostsQuery);
  const [isMaking, setMaking] = useState(false);
  const [chosen, setChosen] = useState<DeviceItem | null>(null);
  const [restored, setRestored] = useState<DeviceItem | null>(null);
  const { several, setSeveral, bar, dialog } = useSeveral(devices.data ?? [], preferred);
  const maySeveral = (devices.data ?? []).filter(mayAge).length >= 2 && several === null;
  return (
    <>
      <PageHeader
        title="Devices"
        action={
          <May needs="member">
            {maySeveral && (
              <Button variant="default" onClick={() => setSeveral([])}>
                Age several devices…
              </Button>
            )}
            <Button variant="default" onClick={() => setMaking(true)}>
              Make a sandbox device
            </Button>
          </May>
        }
      >
        {isPlacing(preferred) ? (
          <Placing preferred={preferred} />
        ) : (
          "Choose a device, a profile and a fullness. Patina ages it and keeps the image."
        )}
      </PageHeader>
      {bar}
      <Panel query={devices} skeleton={<Cards />}>
        {(data) => (
          <DeviceList
            devices={data}
            onAge={setChosen}
            onRestore={setRestored}
            isForRestore={preferred.restore !== undefined}
            isForAging={isPlacing(preferred) && preferred.restore === undefined}
            several={several}
            onChoose={setSeveral}
          />
        )}
      </Panel>
      <SandboxForm hosts={hosts.data ?? []} isOpen={isMaking} onClose={() => setMaking(false)} />
      {chosen !== null && <AgeDialog device={chosen} preferred={preferred} onClose={() => setChosen(null)} />}
      {restored !== null && (
        <RestoreDialog device={restored} image_id={preferred.restore} onClose={() => setRestored(null)} />
      )}
      {dialog}
    </>
  );
}
