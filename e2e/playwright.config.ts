// The browser tests: Debian's Chromium against the application at PATINA_URL.
//
// No test asserts a time. The limits here only end a test whose condition never comes: they are far above what a busy
// machine needs, so that a slow machine fails no test.
import { defineConfig } from "@playwright/test";

const baseURL = process.env["PATINA_URL"];
if (baseURL === undefined) throw new Error("Set PATINA_URL to a running Patina, e.g. http://127.0.0.1:8040");
const results = process.env["PATINA_RESULTS"] ?? "test-results";

/** They kill and restart parts of their application: no other test may run against it meanwhile. */
const DISTURBING = ["device_first", "fault", "host", "journey"].map((name) => `**/${name}.spec.ts`);

export default defineConfig({
  testDir: "specs",
  outputDir: `${results}/artifacts`,
  workers: 1,
  retries: 0,
  timeout: 1_200_000,
  expect: { timeout: 300_000 },
  forbidOnly: true,
  reporter: [["list"], ["json", { outputFile: `${results}/results.json` }]],
  projects: [
    { name: "disturbing", testMatch: DISTURBING },
    { name: "calm", testIgnore: DISTURBING },
  ],
  use: {
    baseURL,
    reuseContext: true,
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
