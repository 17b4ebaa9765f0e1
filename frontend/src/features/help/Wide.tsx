// A table that may be wider than the page: it can be scrolled by the keyboard where it does not fit.
import { useCallback, useState, type ReactNode } from "react";
import classes from "./Document.module.css";

export function Wide({ children }: { children: ReactNode }) {
  const [isWide, setWide] = useState(false);
  const watch = useCallback((frame: HTMLDivElement) => {
    const observer = new ResizeObserver(() => setWide(frame.scrollWidth > frame.clientWidth));
    observer.observe(frame);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={watch}
      className={classes.wide}
      {...(isWide && { role: "group", "aria-label": "Table", tabIndex: 0 })}
    >
      {children}
    </div>
  );
}
