// How much a browser fetches before it shows the first page.
import { get } from "node:http";
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures/test";

/** Of a browser that reaches the server by a name, without TLS, and so accepts no better packing than gzip. */
const MOST_BYTES = 200_000;

/** Returns the bytes of a file as the server sends it to a browser that accepts gzip. */
function sentBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "Accept-Encoding": "gzip" } }, (answer) => {
      let size = 0;
      answer.on("data", (part: Buffer) => (size += part.length));
      answer.on("end", () => resolve(size));
    }).on("error", reject);
  });
}

/** Opens a page and returns the scripts and style sheets that it fetched until it had nothing left to load. */
async function codeOf(page: Page, path: string): Promise<string[]> {
  const files = new Set<string>();
  page.on("request", (asked) => {
    if (["script", "stylesheet"].includes(asked.resourceType())) files.add(asked.url());
  });
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
  return [...files];
}

test("the first page needs less than 200 kB of code, packed", async ({ page, aged }) => {
  const files = await codeOf(page, "/");
  await expect(page.getByRole("article", { name: aged.device.path ?? "", exact: true })).toBeVisible();
  expect(files.filter((file) => file.endsWith(".css"))).toHaveLength(1);
  const sizes = await Promise.all(files.map(async (file) => [file, await sentBytes(file)] as const));
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(MOST_BYTES);
  expect(total).toBeGreaterThan(MOST_BYTES / 4);
});
