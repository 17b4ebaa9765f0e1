// What an emulated disk shows on its card: its model, what it keeps and drops, the predicted time, and its faults.
import type { Device, Emulation } from "../../../api/client";
import { May } from "../../../shared/ui/May";
import { StateMark } from "../../../shared/ui/StateMark";
import { Exact } from "../../../shared/ui/Exact";
import { formatTime } from "../../../shared/units";
import classes from "./EmulatedPart.module.css";
import { FaultActions } from "./FaultActions";
import { inForce, nameOfFault } from "./faults";
import { failedWords, rowsOf, silentSince, whyWhole } from "./figures";

const MOST_SHOWN = 3;

function Model({ model_label, time }: Emulation) {
  return (
    <p className={classes.model}>
      <span className={classes.badge}>Emulated</span>{" "}
      {model_label === null ? "No disk model" : `${model_label}, ${time} time`}
    </p>
  );
}

/** Returns the sentence in place of the figures, or beside old ones; null where nothing is to be said. */
function notice(device: Device): string | null {
  if (device.state === "lost") return null; // the reason of the state has it
  if (device.state === "failed")
    return "Nothing was made. Remove the device, correct the cause and make a new one.";
  if (device.state === "creating") return "Its emulator is being started.";
  const since = silentSince(device);
  if (since !== null)
    return (
      `The emulator has not answered since ${formatTime(since).text}; these are its last figures. A job on the ` +
      "disk fails; then the emulator is started again, with all that it keeps."
    );
  return device.emulated === null
    ? "Its emulator has not reported yet. Figures come within half a minute."
    : null;
}

function Figures({ device }: { device: Device }) {
  const said = notice(device);
  const why = whyWhole(device);
  return (
    <>
      <dl className={classes.rows}>
        {rowsOf(device).map(({ label, value, note }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Exact value={value} /> {note !== undefined && <span className={classes.note}>{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {why !== null && <p className={classes.note}>{why}</p>}
      {device.emulated?.error != null && (
        <p className={classes.error}>
          <StateMark tone="bad">{failedWords(device.emulated)}</StateMark> {device.emulated.error}
        </p>
      )}
      {said !== null && <p className={classes.note}>{said}</p>}
    </>
  );
}

function Faults({ emulated, fault }: Device) {
  const faults = emulated?.faults ?? [];
  const more = faults.length - MOST_SHOWN;
  const asked = fault !== null && fault.done_at === null ? fault.fault : null;
  return (
    <div role="status" className={classes.faults}>
      {faults.slice(0, MOST_SHOWN).map((each, index) => (
        <StateMark key={index} tone="bad">
          {inForce(each)}
        </StateMark>
      ))}
      {more > 0 && (
        <span className={classes.note}>{`and ${more} more ${more === 1 ? "fault" : "faults"}`}</span>
      )}
      {asked !== null && <StateMark tone="waiting">{`Being sent: ${nameOfFault(asked)}`}</StateMark>}
      {fault?.error != null && (
        <p className={classes.note}>{`Refused: ${nameOfFault(fault.fault)}. ${fault.error}`}</p>
      )}
    </div>
  );
}

export function EmulatedPart({ device }: { device: Device }) {
  if (device.emulation === null) return null;
  return (
    <section className={classes.part} aria-label="Emulated disk">
      <Model {...device.emulation} />
      <Figures device={device} />
      <Faults {...device} />
      <May needs={device.is_usable ? "member" : "operator"}>
        <FaultActions device={device} />
      </May>
    </section>
  );
}
