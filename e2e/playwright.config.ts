// The browser tests: Debian's Chromium against the application at PATINA_URL. Two projects, for two applications at once.
//
// The project `calm` runs in Chromium's headless shell, the same engine without a window around the page, which takes 31 %
// less processor time (measured over all of its tests). The project `disturbing` runs in Chromium itself.
//
// No test asserts a time. The limits here only end a test whose condition never holds: they are far above the times of a
// busy machine, so that a slow machine fails no test.
import { defineConfig, type LaunchOptions } from "@playwright/test";
import { PATIENCE_MS, TEST_MS } from "./fixtures/patience";

const baseURL = process.env["PATINA_URL"];
if (baseURL === undefined) throw new Error("Set PATINA_URL to a running Patina, e.g. http://127.0.0.1:8040");
const results = process.env["PATINA_RESULTS"] ?? "test-results";

/** Specs that kill and restart parts of their application: no other test may run against it meanwhile. */
const DISTURBING = ["device_first", "fault", "host", "journey", "openid"];
/** Specs that share no device with others; in the project `disturbing` they balance the times of the two projects. */
const ALONE = ["action", "run_choice"];
/** Specs that need notifications, which the headless shell lacks. */
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
  timeout: TEST_MS,
  expect: { timeout: PATIENCE_MS },
  forbidOnly: true,
  reporter: [["list"], ["json", { outputFile: `${results}/results.json` }]],
  projects: [
    { name: "disturbing", testMatch: BESIDE, use: { launchOptions: launching("chromium") } },
    { name: "calm", testIgnore: BESIDE, use: { launchOptions: launching("chromium-headless-shell") } },
  ],
  use: {
    baseURL,
    // A new context costs a third of a short test. Between tests its pages, routes, storage and cookies are cleared;
    // permissions stay, and the tests set those that they need.
    reuseContext: true,
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "UTC",
    // Animations take processor time and move the targets of clicks.
    contextOptions: { reducedMotion: "reduce" },
    // A trace costs every test a sixth of its time: PATINA_TRACE=1 keeps one of each that fails.
    trace: process.env["PATINA_TRACE"] === undefined ? "off" : "retain-on-failure",
    screenshot: "only-on-failure",
    // Without these limits an action waits for the test's time limit, and the report does not name the action.
    actionTimeout: PATIENCE_MS,
    navigationTimeout: PATIENCE_MS,
  },
});
