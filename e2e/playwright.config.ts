// The browser tests: Debian's Chromium, one worker, against the application at PATINA_URL.
import { defineConfig } from "@playwright/test";

const baseURL = process.env["PATINA_URL"];
if (baseURL === undefined) throw new Error("Set PATINA_URL to a running Patina, e.g. http://127.0.0.1:8040");

export default defineConfig({
  testDir: "specs",
  outputDir: "test-results/artifacts",
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [["list"], ["json", { outputFile: "test-results/results.json" }]],
  use: {
    baseURL,
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "UTC",
    // A trace costs every test a sixth of its time: PATINA_TRACE=1 keeps one of each that fails.
    trace: process.env["PATINA_TRACE"] === undefined ? "off" : "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: "/usr/bin/chromium",
      chromiumSandbox: false,
      args: [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
