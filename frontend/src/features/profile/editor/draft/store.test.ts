// @vitest-environment jsdom
// A draft survives a reload, and is deleted once it is saved or undone.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { histogramsOf } from "./bin";
import { makeDraftStore } from "./store";

const saved = histogramsOf({
  size: [{ bytes: 1024, weight: 2 }],
  depth: [{ depth: 0, weight: 1, subdirs: 1 }],
  age: [{ age: 10, weight: 1 }],
});
const base = { name: "mine", number: 3 };
const change = { type: "set_weight", histogram: "size", index: 0, weight: 7 } as const;

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
});

test("a changed draft is found again by the version it was begun from, and by no other", () => {
  const store = makeDraftStore(base, saved);
  expect(store.isChanged()).toBe(false);
  store.dispatch(change);
  store.flush();
  expect(makeDraftStore(base, saved).getDraft().histograms.size[0]?.weight).toBe(7);
  expect(makeDraftStore(base, saved).isChanged()).toBe(true);
  expect(makeDraftStore({ name: "mine", number: 4 }, saved).isChanged()).toBe(false);
  expect(makeDraftStore(null, saved).isChanged()).toBe(false);
});

test("it is kept without being asked, a moment after the edit", () => {
  const store = makeDraftStore(base, saved);
  store.dispatch(change);
  expect(localStorage.length).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(localStorage.length).toBe(1);
});

test("once everything is undone, or it is saved, nothing is kept", () => {
  const store = makeDraftStore(base, saved);
  store.dispatch(change);
  store.flush();
  store.dispatch({ type: "undo" });
  store.flush();
  expect(localStorage.length).toBe(0);
  store.dispatch(change);
  store.forget();
  vi.advanceTimersByTime(1_000);
  expect(localStorage.length).toBe(0);
  expect(store.isChanged()).toBe(false);
});

test("what is no draft is not taken for one", () => {
  localStorage.setItem("patina.draft.mine@3", '{"schema_version":1,"histograms":{"size":[{"edge":null}]}}');
  expect(makeDraftStore(base, saved).isChanged()).toBe(false);
  localStorage.setItem("patina.draft.mine@3", "not JSON");
  expect(makeDraftStore(base, saved).isChanged()).toBe(false);
});

test("the page is notified when the browser has no room", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const store = makeDraftStore(base, saved);
  const listener = vi.fn();
  store.dispatch(change);
  store.subscribe(listener);
  store.flush();
  expect(store.isKept()).toBe(false);
  expect(listener).toHaveBeenCalled();
});

test("an edit that changes nothing notifies no subscriber", () => {
  const store = makeDraftStore(base, saved);
  const listener = vi.fn();
  store.subscribe(listener);
  store.dispatch({ ...change, weight: 2 });
  expect(listener).not.toHaveBeenCalled();
});
