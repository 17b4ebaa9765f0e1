// Builds, serves and tests the frontend.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { helpIndex } from "./build/helpIndex.ts";
import { mantineStylesPlugin } from "./build/mantineStyles.ts";
import { packed } from "./build/packed.ts";

const api = `http://127.0.0.1:${process.env["PATINA_PORT"] ?? "8040"}`;

export default defineConfig({
  plugins: [react(), mantineStylesPlugin(), helpIndex(), packed()],
  // The server replaces this by a number of its own for each answer, which Content-Security-Policy asks for.
  html: { cspNonce: "PATINA_NONCE" },
  build: {
    // One style sheet, there from the start: a part of it that does not arrive would break the page that waits for it.
    cssCodeSplit: false,
    // A file in place of a data: URL, which the policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }, // every supported browser has it
    rolldownOptions: { input: ["index.html", "docs.html"] },
  },
  server: {
    host: "127.0.0.1",
    fs: { allow: [".."] },
    proxy: { "/api": { target: api }, "/store": { target: api } },
  },
  test: {
    restoreMocks: true,
    unstubGlobals: true,
    isolate: false, // modules are loaded once for all files, which takes a third of the time
    // jsdom takes longer to load than most tests take: only what renders, and what stores in the browser, has it.
    projects: [
      { extends: true, test: { name: "logic", environment: "node", include: ["src/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "page",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: "build/jsdom.ts",
        },
      },
    ],
  },
});
