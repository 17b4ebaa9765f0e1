// A button that opens the browser's choice of a file; also of the same file a second time.
import { Button, FileButton } from "@mantine/core";
import { useRef, type ReactNode } from "react";

export function ChooseFile({ onChoose, children }: { onChoose: (file: File) => void; children: ReactNode }) {
  const reset = useRef<() => void>(null);
  const choose = (file: File | null) => {
    if (file === null) return;
    reset.current?.();
    onChoose(file);
  };
  return (
    <FileButton onChange={choose} resetRef={reset}>
      {(props) => (
        <Button {...props} variant="default">
          {children}
        </Button>
      )}
    </FileButton>
  );
}
