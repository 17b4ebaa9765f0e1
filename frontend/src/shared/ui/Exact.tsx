// A rounded quantity with the exact value on hover.
import type { Formatted } from "../units";

export function Exact({ value }: { value: Formatted }) {
  return <span title={value.exact}>{value.text}</span>;
}
