// An area for files that are dropped or chosen.
import { useState, type DragEvent, type ReactNode } from "react";
import { ChooseFile } from "./ChooseFile";
import classes from "./FileDrop.module.css";

interface Props {
  label: string;
  title: ReactNode;
  note: ReactNode;
  button: string;
  multiple?: boolean;
  onChoose: (files: readonly [File, ...File[]]) => void;
}

export function FileDrop({ label, title, note, button, multiple = false, onChoose }: Props) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [first, ...rest] = event.dataTransfer.files;
    if (first !== undefined) onChoose([first, ...(multiple ? rest : [])]);
  };
  return (
    <div
      role="group"
      aria-label={label}
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
        <strong>{title}</strong>
        <span className={classes.quiet}>{note}</span>
      </div>
      <ChooseFile onChoose={onChoose} multiple={multiple}>
        {button}
      </ChooseFile>
    </div>
  );
}
