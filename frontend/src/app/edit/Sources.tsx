// Sources of histograms other than editing: a spreadsheet or files, a fit, a directory on a host.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { AllowFolder } from "../../features/host/AllowFolder";
import { hostsQuery } from "../../features/host/queries";
import type { EditedHistograms } from "../../features/profile/editor/draft/bin";
import type { DraftStore } from "../../features/profile/editor/draft/store";
import { ReadingDialog } from "../../features/profile/sources/ReadingDialog";
import { ScanDialog } from "../../features/profile/sources/ScanDialog";

interface Props {
  store: DraftStore;
  isFitting: boolean;
  onFit: () => void;
}

/** Opens the dialog for rows of numbers that are pasted onto the page and not into a field. */
function usePaste(onPaste: (text: string) => void) {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const target = event.target;
      if (target instanceof HTMLElement && target.closest("input, textarea, [role=dialog]") !== null) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!/\d[^\n]*\n[^\n]*\d/.test(text)) return;
      event.preventDefault();
      onPaste(text);
    };
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, [onPaste]);
}

type Open = { source: "reading"; text: string } | { source: "scan" };

export function Sources({ store, isFitting, onFit }: Props) {
  const [open, setOpen] = useState<Open | null>(null);
  // While a directory is chosen, a folder that its host allows appears.
  const refetchInterval = open?.source === "scan" ? hostsQuery.refetchInterval : false;
  const hosts = useQuery({ ...hostsQuery, ...(refetchInterval !== undefined && { refetchInterval }) });
  const [openPasted] = useState(() => (text: string) => setOpen({ source: "reading", text }));
  usePaste(openPasted);
  const close = () => setOpen(null);
  const take = (histograms: Partial<EditedHistograms>, by: string) => {
    store.dispatch({ type: "replace", histograms, by });
    close();
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen({ source: "reading", text: "" })}>
        Paste or open…
      </Button>
      <Button variant="default" size="xs" aria-pressed={isFitting} onClick={onFit}>
        Fit…
      </Button>
      <Button variant="default" size="xs" onClick={() => setOpen({ source: "scan" })}>
        Scan a directory…
      </Button>
      {open?.source === "reading" && (
        <ReadingDialog
          text={open.text}
          onTake={(histograms) => take(histograms, "what was read")}
          onClose={close}
        />
      )}
      {open?.source === "scan" && (
        <ScanDialog
          hosts={hosts.data ?? []}
          allowing={<AllowFolder />}
          onOpen={() => setOpen({ source: "reading", text: "" })}
          onTake={(histograms) => take(histograms, "a scan")}
          onClose={close}
        />
      )}
    </>
  );
}
