// Keeps a plot as a file.
import { Menu, UnstyledButton } from "@mantine/core";
import { useRef } from "react";
import { csvOf, download, svgOf, type Drawn } from "./exportPlot";

function nameOf({ title }: Drawn, ending: string): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.${ending}`;
}

/** The plot on the page, on the page's own ground: a canvas alone is transparent. */
async function pngOf(canvas: HTMLCanvasElement): Promise<Blob | null> {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d");
  if (context === null) return null;
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  return new Promise((resolve) => copy.toBlob(resolve, "image/png"));
}

export function PlotMenu({ drawn }: { drawn: Drawn }) {
  const button = useRef<HTMLButtonElement>(null);
  const savePng = async () => {
    const canvas = button.current?.closest("figure")?.querySelector("canvas");
    const blob = canvas == null ? null : await pngOf(canvas);
    if (blob !== null) download(nameOf(drawn, "png"), blob);
  };
  const save = (ending: string, type: string, text: string) =>
    download(nameOf(drawn, ending), new Blob([text], { type }));
  return (
    <Menu transitionProps={{ duration: 0 }} position="bottom-end">
      <Menu.Target>
        <UnstyledButton ref={button} className="patina-link" fz={13} aria-label={`${drawn.title}: save`}>
          Save
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save("csv", "text/csv", csvOf(drawn.x, drawn.lines, drawn.columns))}>
          Numbers, CSV
        </Menu.Item>
        <Menu.Item onClick={() => save("svg", "image/svg+xml", svgOf(drawn))}>Drawing, SVG</Menu.Item>
        <Menu.Item onClick={() => void savePng()}>As on the page, PNG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
