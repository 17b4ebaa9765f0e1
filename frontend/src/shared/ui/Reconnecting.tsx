// Says that the connection to the server is lost, on a page that follows something live.
import { StateMark } from "./StateMark";
import classes from "./Reconnecting.module.css";

export function Reconnecting({ children }: { children: string }) {
  return (
    <p role="status" className={classes.reconnecting}>
      <StateMark tone="waiting">{`Reconnecting. ${children}`}</StateMark>
    </p>
  );
}
