// A plugin of Vite: leaves each script and style sheet also packed, as well as it can be, so that the server need not
// pack them for each answer.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

export function packed(): Plugin {
  let folder = "";
  return {
    name: "patina-packed",
    apply: "build",
    configResolved: (config) =>
      void (folder = join(config.root, config.build.outDir, config.build.assetsDir)),
    closeBundle() {
      for (const name of readdirSync(folder).filter((each) => /\.(js|css)$/.test(each))) {
        const content = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}
