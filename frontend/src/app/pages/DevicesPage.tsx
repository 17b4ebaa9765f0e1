// Devices, the home page: every device of every host, live, with the button that ages it.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { DeviceItem } from "../../api/client";
import { DeviceActions } from "../../features/action/DeviceActions";
import { DeviceWork } from "../../features/action/DeviceWork";
import { HoldingLine } from "../../features/action/HoldingLine";
import { AttachedDevices } from "../../features/device/AttachedDevices";
import { DeviceCard } from "../../features/device/DeviceCard";
import { devicesQuery } from "../../features/device/queries";
import { hostsQuery } from "../../features/host/queries";
import { later } from "../../shared/later";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import type { Preferred } from "../age/preferred";
import { mayAge } from "../age/mayAge";
import { DeviceHistory } from "../device/DeviceHistory";
import { isPlacing, Placing } from "../place/Placing";
import { Cards } from "../../shared/ui/waiting/shapes";

const AgeDialog = later(async () => (await import("../age/AgeDialog")).AgeDialog);
const BatchDialog = later(async () => (await import("../age/BatchDialog")).BatchDialog);
const ChosenDevices = later(async () => (await import("../age/ChooseDevices")).ChosenDevices);
const DeviceChoice = later(async () => (await import("../age/ChooseDevices")).DeviceChoice);
const EmulateDialog = later(
  async () => (await import("../../features/device/emulated/EmulateDialog")).EmulateDialog,
);
const ShingleDialog = later(
  async () => (await import("../../features/device/shingled/ShingleDialog")).ShingleDialog,
);
const FirstSandbox = later(async () => (await import("../../features/device/FirstSandbox")).FirstSandbox);
const RestoreDialog = later(async () => (await import("../restore/RestoreDialog")).RestoreDialog);
const SandboxForm = later(async () => (await import("../../features/device/SandboxForm")).SandboxForm);

interface ListProps {
  devices: readonly DeviceItem[];
  onAge: (device: DeviceItem) => void;
  onRestore: (device: DeviceItem) => void;
  onEmulate: () => void;
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

function DeviceList({ devices, several, onChoose, onEmulate, ...card }: ListProps) {
  const cards = devices.filter(hasCard);
  const others = devices.filter((device) => !hasCard(device));
  return (
    <div className="patina-stack">
      <section aria-label="Devices">
        {cards.length === 0 ? (
          <May needs="member" otherwise={<p className="patina-quiet">No sandbox device yet.</p>}>
            <FirstSandbox onEmulate={onEmulate} />
          </May>
        ) : (
          <div className="patina-cards">
            {cards.map((device) => (
              <DeviceCard
                key={device.id}
                device={device}
                choice={several && <DeviceChoice device={device} chosen={several} onChoose={onChoose} />}
                holding={<HoldingLine device={device} />}
                progress={<DeviceWork device={device} />}
                history={<DeviceHistory device={device} />}
                {...card}
                actions={
                  <DeviceActions device={device} {...card} isForAging={card.isForAging || several !== null} />
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
            <span>
              Patina writes only to devices on their host&apos;s{" "}
              <Link to="/help/$" params={{ _splat: "operations" }} className="patina-link">
                allow-list
              </Link>
            </span>
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

/** The device that the address asks to age, as long as it does; and the card that it asks to see. */
function useAskedDevice(devices: readonly DeviceItem[] | undefined, asking: Preferred & { age?: number }) {
  const { age, ...others } = asking;
  const navigate = useNavigate();
  const { hash } = useLocation();
  const isThere = devices !== undefined;
  useEffect(() => {
    if (isThere && hash !== "") document.getElementById(hash)?.scrollIntoView({ block: "center" });
  }, [isThere, hash]);
  const forget = () => {
    if (age === undefined) return;
    void navigate({ to: "/devices", search: others, replace: true });
  };
  return { asked: devices?.find((device) => device.id === age && mayAge(device)) ?? null, forget };
}

interface RestoringProps {
  device: DeviceItem;
  image_id: number | undefined;
  onClose: () => void;
}

/** The dialog that restores an image. Once the restore is accepted, the address asks for it no longer. */
function Restoring({ device, image_id, onClose }: RestoringProps) {
  const navigate = useNavigate();
  return (
    <RestoreDialog
      device={device}
      image_id={image_id}
      onClose={onClose}
      onRestored={() => {
        onClose();
        void navigate({ to: "/devices", search: {}, replace: true });
      }}
    />
  );
}

type Made = "sandbox" | "emulated" | "shingled";
type Asking = Preferred & { age?: number } & { [what in Made]?: boolean };

/** The form of a new device: a button opens it, and the address may ask for it. */
function useMaking({ sandbox = false, emulated = false, shingled = false, ...others }: Asking) {
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Made | null>(null);
  const asked = shingled ? "shingled" : emulated ? "emulated" : sandbox ? "sandbox" : null;
  const close = () => {
    setOpened(null);
    if (asked !== null) void navigate({ to: "/devices", search: others, replace: true });
  };
  return { making: opened ?? asked, make: setOpened, close };
}

const makes = [
  { what: "shingled", label: "Make a shingled disk" },
  { what: "emulated", label: "Make an emulated disk" },
  { what: "sandbox", label: "Make a sandbox device" },
] as const;

interface PageProps {
  preferred: Asking;
}

export function DevicesPage({ preferred }: PageProps) {
  const devices = useQuery(devicesQuery);
  const hosts = useQuery(hostsQuery);
  const { making, make, close } = useMaking(preferred);
  const form = { hosts: hosts.data ?? [], onClose: close };
  const [chosen, setChosen] = useState<DeviceItem | null>(null);
  const [restored, setRestored] = useState<DeviceItem | null>(null);
  const { asked, forget } = useAskedDevice(devices.data, preferred);
  const aged = chosen ?? asked;
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
            {makes.map(({ what, label }) => (
              <Button key={what} variant="default" onClick={() => make(what)}>
                {label}
              </Button>
            ))}
          </May>
        }
      >
        Choose a device, a profile and a fullness. Patina ages it and keeps the image.
      </PageHeader>
      {isPlacing(preferred) && <Placing preferred={preferred} />}
      {bar}
      <Panel query={devices} skeleton={<Cards height={236} />}>
        {(data) => (
          <DeviceList
            devices={data}
            onAge={setChosen}
            onRestore={setRestored}
            onEmulate={() => make("emulated")}
            isForRestore={preferred.restore !== undefined}
            isForAging={isPlacing(preferred) && preferred.restore === undefined}
            several={several}
            onChoose={setSeveral}
          />
        )}
      </Panel>
      {making === "sandbox" && <SandboxForm {...form} />}
      {making === "shingled" && <ShingleDialog {...form} />}
      {making === "emulated" && <EmulateDialog {...form} />}
      {aged !== null && (
        <AgeDialog
          device={aged}
          preferred={preferred}
          onClose={() => {
            setChosen(null);
            forget();
          }}
        />
      )}
      {restored !== null && (
        <Restoring device={restored} image_id={preferred.restore} onClose={() => setRestored(null)} />
      )}
      {dialog}
    </>
  );
}
