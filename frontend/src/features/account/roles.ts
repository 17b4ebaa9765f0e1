// The roles in ascending order, with what each may do.
import type { Role } from "../../api/client";

export const roles: readonly { role: Role; title: string; may: string }[] = [
  { role: "viewer", title: "Viewer", may: "sees everything, changes nothing" },
  { role: "member", title: "Member", may: "ages, measures, keeps profiles and images" },
  {
    role: "operator",
    title: "Operator",
    may: "may do the same, and manages hosts, webhooks and garbage collection",
  },
  { role: "owner", title: "Owner", may: "may do all that an operator may, and manages accounts" },
];

export const HOUR_S = 3_600;
export const DAY_S = 24 * HOUR_S;
