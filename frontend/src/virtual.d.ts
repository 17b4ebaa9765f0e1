// Modules that plugins of Vite make (build/).
declare module "virtual:mantine-styles";
declare module "virtual:help-index" {
  const outlines: readonly import("../build/helpIndex").Outline[];
  export default outlines;
}
