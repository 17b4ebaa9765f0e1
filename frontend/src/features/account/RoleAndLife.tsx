// The role and the validity of what an account gives away: an access token, an invitation.
import { Select } from "@mantine/core";
import type { Role } from "../../api/client";
import { includes } from "../../shared/me";
import { DAY_S, roles } from "./roles";

const lives = [
  { value: String(DAY_S), label: "A day" },
  { value: String(3 * DAY_S), label: "Three days" },
  { value: String(30 * DAY_S), label: "30 days" },
  { value: String(365 * DAY_S), label: "A year" },
];
const unmoved = { transitionProps: { duration: 0 } };

export interface Given {
  role: Role;
  expires_in_s: number;
}

export function RoleAndLife({
  given,
  most,
  longest_s,
  onChange,
}: {
  given: Given;
  /** The highest role that can be chosen. */
  most: Role;
  longest_s: number;
  onChange: (given: Given) => void;
}) {
  const options = roles.filter(({ role }) => includes(most, role));
  return (
    <>
      <Select
        label="Role"
        data={options.map(({ role, title, may }) => ({ value: role, label: `${title}: ${may}` }))}
        value={given.role}
        onChange={(role) => role !== null && onChange({ ...given, role })}
        allowDeselect={false}
        comboboxProps={unmoved}
      />
      <Select
        label="Valid for"
        data={lives.filter(({ value }) => Number(value) <= longest_s)}
        value={String(given.expires_in_s)}
        onChange={(life) => life !== null && onChange({ ...given, expires_in_s: Number(life) })}
        allowDeselect={false}
        comboboxProps={unmoved}
      />
    </>
  );
}
