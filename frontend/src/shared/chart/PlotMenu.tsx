// A menu that saves a plot as a file.
import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { download, pngOf, type Saved } from "./exportPlot";

function nameOf({ title }: Saved, ending: string): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.${ending}`;
}

export function PlotMenu({ saved }: { saved: Saved }) {
  const [isOpen, setOpen] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const save = (ending: string, type: string, text: string) =>
    download(nameOf(saved, ending), new Blob([text], { type }));
  const savePng = async () => {
    try {
      download(nameOf(saved, "png"), await pngOf(saved.svg()));
      setFailed(false);
    } catch {
      setFailed(true);
      setOpen(true);
    }
  };
  return (
    <Menu opened={isOpen} onChange={setOpen} transitionProps={{ duration: 0 }} position="bottom-end">
      <Menu.Target>
        <Tooltip label="Export">
          <ActionIcon variant="subtle" color="gray" size={28} aria-label={`${saved.title}: export`}>
            <IconDownload size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save("csv", "text/csv", saved.csv())}>Numbers, CSV</Menu.Item>
        <Menu.Item onClick={() => save("svg", "image/svg+xml", saved.svg())}>Drawing, SVG</Menu.Item>
        <Menu.Item onClick={() => void savePng()}>
          Drawing, PNG{hasFailed && ": failed in this browser. Save the SVG."}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
