// The browser tests: Debian's Chromium against the application at PATINA_URL. Two projects, for two applications at once.
//
// The project `calm` runs in Chromium's headless shell, which is the same engine without the window around the page, and
// takes 31 % less processor time (measured over all of its tests). The project `disturbing` runs in Chromium itself.
//
// No test asserts a time. The limits here only end a test whose condition never comes: they are far above what a busy
// machine needs, so that a slow machine fails no test.
import { defineConfig, type LaunchOptions } from "@playwright/test";

const baseURL = process.env["PATINA_URL"];
if (baseURL === undefined) throw new Error("Set PATINA_URL to a running Patina, e.g. http://127.0.0.1:8040");
const results = process.env["PATINA_RESULTS"] ?? "test-results";

/** They kill and restart parts of their application: no other test may run against it meanwhile. */
const DISTURBING = ["device_first", "fault", "host", "journey"];
/** They share no device with other specs: run after each other with those, they let both projects take about as long. */
const ALONE = ["action", "run_choice"];
/** They need what the headless shell lacks: it shows no notifications. */
const OF_THE_WINDOW = ["notice"];
const BESIDE = [...DISTURBING, ...ALONE, ...OF_THE_WINDOW].map((name) => `**/${name}.spec.ts`);

function launching(executable: string): LaunchOptions {
  return {
    executablePath: `/usr/bin/${executable}`,
    chromiumSandbox: false,
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  };
}

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
    { name: "disturbing", testMatch: BESIDE, use: { launchOptions: launching("chromium") } },
    { name: "calm", testIgnore: BESIDE, use: { launchOptions: launching("chromium-headless-shell") } },
  ],
  use: {
    baseURL,
    // A new context costs a third of a short test. Between tests it is emptied of pages, routes, storage and cookies; of
    // what stays, permissions, the tests set what they need.
    reuseContext: true,
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "UTC",
    // What moves takes processor time, and is not yet where it will be clicked.
    contextOptions: { reducedMotion: "reduce" },
    // A trace costs every test a sixth of its time: PATINA_TRACE=1 keeps one of each that fails.
    trace: process.env["PATINA_TRACE"] === undefined ? "off" : "retain-on-failure",
    screenshot: "only-on-failure",
    // Without these limits an action waits until the test times out, and the report does not name it.
    actionTimeout: 300_000,
    navigationTimeout: 300_000,
  },
});
