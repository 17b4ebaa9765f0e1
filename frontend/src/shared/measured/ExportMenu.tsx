// The files of a trial or a study.
import { Button, Menu } from "@mantine/core";

interface Props {
  /** The address of the API, without the format. */
  address: string;
  files: readonly { format: string; title: string }[];
}

export function ExportMenu({ address, files }: Props) {
  return (
    <Menu transitionProps={{ duration: 0 }} position="bottom-end">
      <Menu.Target>
        <Button variant="default">Export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {files.map(({ format, title }) => (
          <Menu.Item key={format} component="a" href={`${address}?format=${format}`} download>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
