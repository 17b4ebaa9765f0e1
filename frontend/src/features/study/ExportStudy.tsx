// The files of a study.
import { Button, Menu } from "@mantine/core";

const exports = [
  { format: "csv", title: "Results, CSV" },
  { format: "json", title: "Everything, JSON" },
] as const;

export function ExportStudy({ study_id }: { study_id: number }) {
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
            href={`/api/v1/studies/${study_id}/export?format=${format}`}
            download
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
