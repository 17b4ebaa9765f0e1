// The words of a block map: the key of its colours, in total and of one cell.
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Space } from "../../../api/client";
import { BlockMap } from "./BlockMap";
import { cellsOfSpace } from "./blockMap";

const space: Space = {
  type: "space",
  ops_count: 7,
  elapsed_s: 1,
  device_bytes: 8 * 4096,
  block_size_bytes: 4096,
  cell_bytes: 4 * 4096,
  free_blocks: [4, 3],
};
const shingled = {
  unusable_blocks: [2, 0],
  damaged_blocks: [1, 2],
  unusable_and_damaged_blocks: [1, 0],
};

function show(changes: Partial<Space> = {}) {
  render(
    <MantineProvider>
      <BlockMap cells={cellsOfSpace({ ...space, ...changes })} />
    </MantineProvider>,
  );
}

const words = () => screen.getAllByRole("listitem").map((item) => item.textContent.trim());

// The page has a canvas; here only the words are of interest.
beforeEach(() => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test("a shingled disk has unusable and maybe damaged blocks in the key", () => {
  show({ shingled });
  expect(words()).toEqual([
    "in use, 12.5 %",
    "unusable, 12.5 %",
    "unusable and maybe damaged, 12.5 %",
    "free but maybe damaged, 25 %",
    "free, 37.5 %",
  ]);
});

test("the arrow keys say the same of one cell", () => {
  show({ shingled });
  const map = screen.getByRole("img", { name: /unusable, .* free but maybe damaged/ });
  fireEvent.keyDown(map, { key: "ArrowRight" });
  expect(words()).toContain("free but maybe damaged, 50 %");
  fireEvent.keyDown(map, { key: "ArrowLeft" });
  expect(words()).toContain("unusable, 25 %");
});

test("other disks have neither", () => {
  show();
  expect(words()).toEqual(["in use, 12.5 %", "free, 87.5 %"]);
});
