// The frontend's machine-enforced rules; the reason stands beside each.
import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import importPlugin from "eslint-plugin-import";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const features = [
  "batch",
  "device",
  "forecast",
  "host",
  "image",
  "intake",
  "notice",
  "profile",
  "run",
  "webhook",
];

export default tseslint.config(
  { ignores: ["dist", "coverage", "node_modules", "src/api/schema.d.ts"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  reactHooks.configs.flat.recommended,
  jsxA11y.flatConfigs.recommended,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { import: importPlugin },
    settings: {
      // No package imports these sources: to read packages took half of the time of all rules.
      "import/ignore": ["/node_modules/"],
      "import/parsers": { "@typescript-eslint/parser": [".ts", ".tsx"] },
      "import/resolver": { node: { extensions: [".ts", ".tsx", ".d.ts"] } },
    },
    rules: {
      // A cycle means that two files are one file.
      "import/no-cycle": "error",
      // One direction: shared and api know no feature, features do not know each other, only app combines them.
      "import/no-restricted-paths": [
        "error",
        {
          zones: [
            ...features.map((feature) => ({
              target: `./src/features/${feature}`,
              from: "./src/features",
              except: [`./${feature}`],
              message: "A feature does not import another feature; combine them in src/app.",
            })),
            {
              target: "./src/features",
              from: "./src/app",
              message: "app combines features, never the reverse.",
            },
            {
              target: "./src/shared",
              from: ["./src/app", "./src/features"],
              message: "shared knows no feature.",
            },
            {
              target: "./src/api",
              from: ["./src/app", "./src/features", "./src/shared"],
              message: "api is the root.",
            },
          ],
        },
      ],
      // Budgets: over budget is a concept without a name.
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 70 }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // What scrolls must be reachable by keyboard (axe: scrollable-region-focusable).
      "jsx-a11y/no-noninteractive-tabindex": "off",
      // TanStack Router signals a missing page by throwing notFound().
      "@typescript-eslint/only-throw-error": "off",
    },
  },
  {
    // A test file's describe block is a list, not a function.
    files: ["**/*.test.ts", "**/*.test.tsx"],
    rules: { "max-lines-per-function": "off", "max-lines": ["error", 600] },
  },
  { files: ["**/*.js"], ...tseslint.configs.disableTypeChecked },
  prettier,
);
