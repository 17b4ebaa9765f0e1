// Mantine's theme: verdigris, copper, warm neutrals, three sizes, two weights.
import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from "@mantine/core";
import { coloursOf } from "../shared/chart/palette";

const verdigris: MantineColorsTuple = [
  "#eaf5f2",
  "#d3e9e4",
  "#a3d6cb",
  "#6fc3b0",
  "#52ac99",
  "#419583",
  "#378a78",
  "#2a7465",
  "#235f53",
  "#1a483f",
];
const copper: MantineColorsTuple = [
  "#fbefe8",
  "#f4dccd",
  "#e9bb9d",
  "#e0a17c",
  "#d98e66",
  "#c67a4f",
  "#b4643c",
  "#954e2b",
  "#763d21",
  "#572c17",
];
const warm: MantineColorsTuple = [
  "#faf8f5",
  "#f3efe9",
  "#e8e2d9",
  "#d8d0c4",
  "#bdb3a5",
  "#958b7f",
  "#756c62",
  "#5f574f",
  "#453f39",
  "#2a2622",
];
const warmDark: MantineColorsTuple = [
  "#ede8e1",
  "#d5cec5",
  "#b3aaa0",
  "#8b8279",
  "#4c463f",
  "#37322d",
  "#24211d",
  "#1a1816",
  "#141210",
  "#0e0c0b",
];
const danger: MantineColorsTuple = [
  "#fdeeec",
  "#f9d7d3",
  "#f4b8b1",
  "#f0988e",
  "#e2766b",
  "#d0564b",
  "#bf4037",
  "#ad2f28",
  "#8c231d",
  "#6a1813",
];
const amber: MantineColorsTuple = [
  "#fbf3de",
  "#f3e3b6",
  "#ebcf85",
  "#e0b656",
  "#cc9c36",
  "#ae8021",
  "#946a15",
  "#7d580f",
  "#63450a",
  "#4a3306",
];

export const theme = createTheme({
  primaryColor: "verdigris",
  primaryShade: { light: 7, dark: 3 },
  colors: { verdigris, copper, gray: warm, dark: warmDark, danger, amber },
  white: "#fffefc",
  black: "#2a2622",
  fontFamily: "Inter, system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono', ui-monospace, monospace",
  fontSizes: { xs: "13px", sm: "13px", md: "15px", lg: "15px", xl: "22px" },
  lineHeights: { xs: "1.4", sm: "1.4", md: "1.5", lg: "1.5", xl: "1.3" },
  spacing: { xs: "8px", sm: "8px", md: "16px", lg: "24px", xl: "32px" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "22px", lineHeight: "1.3" },
      h2: { fontSize: "15px", lineHeight: "1.5" },
      h3: { fontSize: "15px", lineHeight: "1.5" },
    },
  },
  radius: { xs: "2px", sm: "3px", md: "4px", lg: "6px", xl: "8px" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  focusRing: "auto",
  variantColorResolver: (input) => {
    const resolved = defaultVariantColorsResolver(input);
    // Filled is dark on light pages and light on dark ones: its text is chosen by scheme, not by one shade.
    return input.variant === "filled" ? { ...resolved, color: "var(--patina-on-filled)" } : resolved;
  },
  components: {
    Button: { defaultProps: { size: "sm", fw: 600 } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: "lg",
        overlayProps: { backgroundOpacity: 0.45 },
        styles: { title: { fontWeight: 600 } },
      },
    },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
    // Three sizes on a page: these would be a fourth.
    InputDescription: { defaultProps: { fz: 13 } },
    InputError: { defaultProps: { fz: 13 } },
    Skeleton: { defaultProps: { radius: "sm" } },
  },
});

/** Returns the variables of the colours of several lines in a plot. */
function seriesVariables(scheme: "light" | "dark"): Record<string, string> {
  const colours = Object.entries(coloursOf(scheme));
  return Object.fromEntries(colours.map(([ink, colour]) => [`--patina-${ink}`, colour]));
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...seriesVariables("light"),
    "--patina-page": "#faf8f5",
    "--patina-surface": "#fffefc",
    "--patina-line": "#e3dcd2",
    "--patina-on-filled": "#fffefc",
    "--patina-text": "#2a2622",
    "--patina-quiet": "#645c53",
    "--patina-observed": "#2f7f6f",
    "--patina-observed-text": "#235f53",
    "--patina-target": "#b4643c",
    "--patina-target-text": "#8f4a28",
    "--patina-danger-text": "#a12a23",
    "--patina-amber-text": "#755109",
    "--mantine-color-body": "#faf8f5",
    "--mantine-color-text": "#2a2622",
    "--mantine-color-dimmed": "#645c53",
    "--mantine-color-error": "#a12a23",
    "--mantine-color-anchor": "#235f53",
    "--mantine-color-placeholder": "#756c62",
    "--mantine-color-default-border": "#cfc6b9",
  },
  dark: {
    ...seriesVariables("dark"),
    "--patina-page": "#1a1816",
    "--patina-surface": "#211e1b",
    "--patina-line": "#3a342f",
    "--patina-on-filled": "#141210",
    "--patina-text": "#ede8e1",
    "--patina-quiet": "#b3aaa0",
    "--patina-observed": "#6fc3b0",
    "--patina-observed-text": "#8ad2c1",
    "--patina-target": "#d98e66",
    "--patina-target-text": "#e6a682",
    "--patina-danger-text": "#f0988e",
    "--patina-amber-text": "#e0b656",
    "--mantine-color-body": "#1a1816",
    "--mantine-color-text": "#ede8e1",
    "--mantine-color-dimmed": "#b3aaa0",
    "--mantine-color-error": "#f0988e",
    "--mantine-color-anchor": "#8ad2c1",
    "--mantine-color-placeholder": "#968d83",
    "--mantine-color-default-border": "#4c463f",
  },
});
