// What the curves of the pages measure.
import { count, formatCount, formatFraction, formatOpsPerSecond, fraction, opsPerSecond } from "../../units";
import { countTicks, percentTicks, type Quantity } from "./ticks";

export const amounts: Quantity = {
  format: (value) => formatCount(count(value)),
  ticks: (values) => countTicks(values),
};
export const shares: Quantity = { format: (value) => formatFraction(fraction(value)), ticks: percentTicks };
export const paces: Quantity = {
  format: (value) => formatOpsPerSecond(opsPerSecond(value)),
  ticks: (values) => countTicks(values, "/s"),
};
