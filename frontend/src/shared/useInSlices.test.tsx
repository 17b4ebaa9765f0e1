// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useInSlices } from "./useInSlices";

class Store {
  private snapshot = { count: 0 };
  readonly listeners = new Set<() => void>();
  readonly getSnapshot = () => this.snapshot;
  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
  add() {
    this.snapshot = { count: this.snapshot.count + 1 };
    this.listeners.forEach((listener) => listener());
  }
}

function Subject({ store }: { store: Store }) {
  return <p>{useInSlices(store).count}</p>;
}

afterEach(cleanup);

test("the newest snapshot is rendered at last, after any number of changes at once", () => {
  const store = new Store();
  render(<Subject store={store} />);
  act(() => {
    store.add();
    store.add();
    store.add();
  });
  expect(screen.getByText("3")).toBeTruthy();
  act(() => store.add());
  expect(screen.getByText("4")).toBeTruthy();
});

test("a component that leaves the page stops listening", () => {
  const store = new Store();
  render(<Subject store={store} />);
  expect(store.listeners.size).toBe(1);
  cleanup();
  expect(store.listeners.size).toBe(0);
});
