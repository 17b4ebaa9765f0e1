// A plugin of Vite: `virtual:mantine-styles` is the style sheets of the Mantine components that the sources use, in
// Mantine's order, without the colours that nothing uses. All of them would be a quarter of the first load.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const NAME = "virtual:mantine-styles";
const VARIABLES = "default-css-variables";
const BASE = ["baseline", VARIABLES, "global"];

/** Returns the modules, by exported name, that the package's index takes its components from. */
function exportsOf(index: string): Map<string, string> {
  const found = readFileSync(index, "utf8").matchAll(/^import \{ ([^}]+) \} from "([^"]+)";$/gm);
  return new Map(
    Array.from(found).flatMap(([, names = "", module = ""]) =>
      names.split(", ").map((name) => [name, join(dirname(index), module)] as const),
    ),
  );
}

/** Adds the names of the style modules that a module imports, directly or not. */
function addStyles(module: string, styles: Set<string>, seen: Set<string>): void {
  if (seen.has(module) || !existsSync(module)) return;
  seen.add(module);
  const style = /([^/]+)\.module\.mjs$/.exec(module)?.[1];
  if (style !== undefined) styles.add(style);
  for (const [, path = ""] of readFileSync(module, "utf8").matchAll(/from "(\.[^"]+)"/g))
    addStyles(join(dirname(module), path), styles, seen);
}

/** Returns the names of the style sheets that the sources need, in the order of the whole one. */
export function mantineStyles(root: string): string[] {
  const mantine = join(root, "node_modules/@mantine/core");
  const exported = exportsOf(join(mantine, "esm/index.mjs"));
  const styles = new Set<string>();
  const seen = new Set<string>();
  for (const file of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file)) continue;
    const imports = readFileSync(join(root, "src", file), "utf8").matchAll(
      /import \{([^}]+)\} from "@mantine\/core";/g,
    );
    for (const [, names = ""] of imports)
      for (const name of names.split(",")) addStyles(exported.get(name.trim()) ?? "", styles, seen);
  }
  const whole = readFileSync(join(mantine, "styles.layer.css"), "utf8");
  const placed = [...BASE, ...styles].flatMap((name) => {
    const path = join(mantine, `styles/${name}.layer.css`);
    if (!existsSync(path)) return [];
    const [first = ""] = /\.m_[0-9a-f]+/.exec(readFileSync(path, "utf8")) ?? [];
    return [{ name, at: BASE.includes(name) ? -1 : whole.indexOf(first) }];
  });
  return placed.toSorted((one, other) => one.at - other.at).map(({ name }) => name);
}

const COLOUR = / *--mantine-color-([a-z]+)-(?:\d|text|filled|light|outline)[\w-]*:[^;]*;\n/g;

/** Returns the sheet of Mantine's variables without those of the colours that are named nowhere else. */
function usedColours(sheet: string, root: string): string {
  const folder = join(root, "node_modules/@mantine/core/styles");
  const sheets = mantineStyles(root).filter((name) => name !== VARIABLES);
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const files = [
    ...sheets.map((name) => join(folder, `${name}.layer.css`)),
    ...sources.filter((file) => /\.(tsx?|css)$/.test(file)).map((file) => join(root, "src", file)),
  ];
  const text = [sheet.replaceAll(COLOUR, ""), ...files.map((path) => readFileSync(path, "utf8"))].join("\n");
  return sheet.replaceAll(COLOUR, (declaration, colour: string) =>
    new RegExp(`\\b${colour}\\b`).test(text) ? declaration : "",
  );
}

export function mantineStylesPlugin(): Plugin {
  let root = "";
  return {
    name: "patina-mantine-styles",
    enforce: "pre",
    configResolved: (config) => void (root = config.root),
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load: (id) =>
      id === `\0${NAME}`
        ? mantineStyles(root)
            .map((name) => `import "@mantine/core/styles/${name}.layer.css";`)
            .join("\n")
        : null,
    transform: (sheet, id) => (id.endsWith(`/${VARIABLES}.layer.css`) ? usedColours(sheet, root) : null),
  };
}
