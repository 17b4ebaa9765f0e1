// Parts of a page whose code is fetched when they are first shown, such as dialogs: a page must not wait for them.
import { lazy, Suspense, type ComponentType } from "react";
import { arriving } from "./arriving";

/** Returns the component, which shows nothing until its code has arrived. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Part = lazy(() => arriving(async () => ({ default: await load() }))) as ComponentType<Props>;
  return function Later(props: Props) {
    return (
      <Suspense>
        <Part {...props} />
      </Suspense>
    );
  };
}
