// The note of a run.
import type { Run } from "../../api/client";
import { useMayChange } from "../../shared/ui/SeenBy";
import { WrittenText } from "../../shared/ui/WrittenText";
import { useWriteNote } from "./queries";

export function RunNote({ run }: { run: Run }) {
  return (
    <section aria-labelledby="note">
      <div className="patina-section">
        <h2 id="note">Note</h2>
      </div>
      <WrittenText
        text={run.note}
        what="note"
        saving={useWriteNote(run.id)}
        isChangeable={useMayChange(run)}
      />
    </section>
  );
}
