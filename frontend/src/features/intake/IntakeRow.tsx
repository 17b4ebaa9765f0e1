// One import: its progress, or its outcome.
import { Button, Group, Progress } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { Refusal, type Intake } from "../../api/client";
import { isEnded, toneOf } from "../../shared/job";
import { Exact } from "../../shared/ui/Exact";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import { ChooseFile } from "../../shared/ui/ChooseFile";
import classes from "./IntakeRow.module.css";
import { useCancelIntake, useSending, useTakeInAgain } from "./queries";
import { isSameFile, send, type Sending } from "./sending";

/** Returns the present step as a sentence. */
function messageOf(intake: Intake, sending: Sending | undefined): string {
  if (intake.state !== "uploading") return intake.message;
  if (sending?.state === "sending") return "Sending. Keep this window open until the whole file is sent.";
  if (sending?.state === "waiting") return "Connection lost. Trying again; the data already sent is kept.";
  return "Not being sent from this window. Choose the same file again to continue.";
}

function Bar({ intake }: { intake: Intake }) {
  const [done, total] =
    intake.state === "uploading"
      ? [intake.received_bytes, intake.size_bytes]
      : [intake.done, intake.total ?? 0];
  if (isEnded(intake.state) || total === 0) return null;
  return (
    <div className={classes.bar}>
      <Progress
        value={(100 * done) / total}
        aria-label={intake.state === "uploading" ? `Sent of ${intake.request.file_name}` : intake.message}
        transitionDuration={0}
      />
      <span className={classes.quiet}>
        <Exact value={formatBytes(bytes(done))} /> of <Exact value={formatBytes(bytes(total))} />
      </span>
    </div>
  );
}

/** Continues an upload after this window was closed or the upload was refused. */
function GoOn({ intake, onWrong }: { intake: Intake; onWrong: (refusal: Refusal | null) => void }) {
  const choose = (file: File) => {
    if (!isSameFile(intake, file)) {
      const what = `The import began with ${intake.request.file_name}, ${intake.size_bytes} bytes; ${file.name} is another file or has changed.`;
      onWrong(
        new Refusal(
          "file_changed",
          0,
          "This is a different file",
          `${what} Choose the original file, or cancel and import again.`,
        ),
      );
      return;
    }
    onWrong(null);
    void send(intake, file);
  };
  return (
    <ChooseFile onChoose={([file]) => choose(file)}>Continue with {intake.request.file_name}</ChooseFile>
  );
}

function Buttons({
  intake,
  sending,
  onWrong,
}: {
  intake: Intake;
  sending: Sending | undefined;
  onWrong: (refusal: Refusal | null) => void;
}) {
  const cancel = useCancelIntake();
  const again = useTakeInAgain();
  if (isEnded(intake.state)) return null;
  const isIdle = intake.state === "uploading" && (sending === undefined || sending.state === "stopped");
  return (
    <>
      <Group gap="xs">
        {isIdle && <GoOn intake={intake} onWrong={onWrong} />}
        {intake.state === "interrupted" && (
          <Button variant="default" loading={again.isPending} onClick={() => again.mutate(intake)}>
            Import {intake.request.name} again
          </Button>
        )}
        <Button
          variant="default"
          loading={cancel.isPending}
          disabled={intake.state === "canceling"}
          onClick={() => cancel.mutate(intake)}
        >
          Cancel {intake.request.name}
        </Button>
      </Group>
      {cancel.isError && <RefusalNotice error={cancel.error} />}
      {again.isError && <RefusalNotice error={again.error} />}
    </>
  );
}

export function IntakeRow({ intake, title }: { intake: Intake; title: ReactNode }) {
  const sending = useSending(intake.id);
  const [wrong, setWrong] = useState<Refusal | null>(null);
  const failure =
    intake.state === "failed"
      ? new Refusal(intake.error_code ?? "internal", 0, "The file was not imported", intake.message)
      : null;
  const refusal = wrong ?? failure ?? (sending?.state === "stopped" ? sending.refusal : null);
  return (
    <li className={classes.row} aria-label={intake.request.name}>
      <div className={classes.head}>
        <span className={classes.name}>{title}</span>
        <StateMark tone={toneOf[intake.state]}>{intake.state}</StateMark>
      </div>
      <p className={classes.quiet}>
        <span className="mono">{intake.request.file_name}</span>,{" "}
        <Exact value={formatBytes(bytes(intake.size_bytes))} />
        {intake.format !== null && `, ${intake.format}`}, begun{" "}
        <Exact value={formatTime(intake.created_at)} />
      </p>
      {failure === null && (
        <p role={!isEnded(intake.state) ? "status" : undefined}>{messageOf(intake, sending)}</p>
      )}
      <Bar intake={intake} />
      {refusal !== null && <RefusalNotice error={refusal} />}
      <Buttons intake={intake} sending={sending} onWrong={setWrong} />
    </li>
  );
}
