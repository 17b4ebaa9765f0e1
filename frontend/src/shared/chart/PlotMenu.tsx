// A menu that saves a plot as a file.
import { Menu, UnstyledButton } from "@mantine/core";
import { download, pngOf, type Saved } from "./exportPlot";

function nameOf({ title }: Saved, ending: string): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.${ending}`;
}

interface Props {
  saved: Saved;
  className: string | undefined;
}

export function PlotMenu({ saved, className }: Props) {
  const save = (ending: string, type: string, text: string) =>
    download(nameOf(saved, ending), new Blob([text], { type }));
  const savePng = async () => {
    const blob = await pngOf(saved.svg());
    if (blob !== null) download(nameOf(saved, "png"), blob);
  };
  return (
    <Menu transitionProps={{ duration: 0 }} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={className} aria-label={`${saved.title}: save`}>
          Save
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save("csv", "text/csv", saved.csv())}>Numbers, CSV</Menu.Item>
        <Menu.Item onClick={() => save("svg", "image/svg+xml", saved.svg())}>Drawing, SVG</Menu.Item>
        <Menu.Item onClick={() => void savePng()}>Drawing, PNG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
