// A button that opens the browser's file dialog; the same file can be chosen twice.
import { Button, FileButton } from "@mantine/core";
import { useRef, type ReactNode } from "react";

interface Props {
  onChoose: (files: readonly [File, ...File[]]) => void;
  multiple?: boolean;
  children: ReactNode;
}

export function ChooseFile({ onChoose, multiple = false, children }: Props) {
  const reset = useRef<() => void>(null);
  const choose = (chosen: File | File[] | null) => {
    const [first, ...rest] = chosen === null ? [] : [chosen].flat();
    if (first === undefined) return;
    reset.current?.();
    onChoose([first, ...rest]);
  };
  return (
    <FileButton onChange={choose} resetRef={reset} multiple={multiple}>
      {(props) => (
        <Button {...props} variant="default">
          {children}
        </Button>
      )}
    </FileButton>
  );
}
