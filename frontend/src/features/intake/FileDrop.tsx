// Where a file is dropped, or chosen.
import { useState, type DragEvent } from "react";
import { bytes, formatBytes } from "../../shared/units";
import { ChooseFile } from "./ChooseFile";
import classes from "./FileDrop.module.css";

interface Props {
  file: File | null;
  onChoose: (file: File) => void;
}

export function FileDrop({ file, onChoose }: Props) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined) onChoose(dropped);
  };
  return (
    <div
      role="group"
      aria-label="File"
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className={classes.words}>
        {file === null ? (
          <>
            <strong>Drop an image here, or choose one</strong>
            <span className={classes.quiet}>
              raw, raw.zst or qcow2; the file itself says which. It is sent in pieces, and goes on where a
              lost connection cut it off.
            </span>
          </>
        ) : (
          <>
            <strong className="mono">{file.name}</strong>
            <span className={classes.quiet} title={formatBytes(bytes(file.size)).exact}>
              {formatBytes(bytes(file.size)).text}
            </span>
          </>
        )}
      </div>
      <ChooseFile onChoose={onChoose}>{file === null ? "Choose a file" : "Choose another file"}</ChooseFile>
    </div>
  );
}
