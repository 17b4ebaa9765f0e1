// The files of a trial.
import { Button, Menu } from "@mantine/core";

const exports = [
  { format: "csv", title: "Repetitions, CSV" },
  { format: "json", title: "Everything, JSON" },
  { format: "latex", title: "Table, LaTeX" },
] as const;

export function ExportTrial({ trial_id }: { trial_id: number }) {
  return (
    <Menu transitionProps={{ duration: 0 }} position="bottom-end">
      <Menu.Target>
        <Button variant="default">Export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exports.map(({ format, title }) => (
          <Menu.Item
            key={format}
            component="a"
            href={`/api/v1/trials/${trial_id}/export?format=${format}`}
            download
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
