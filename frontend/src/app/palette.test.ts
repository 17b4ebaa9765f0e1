// Each colour is seen on its page, and no two are alike to people without the receptors for red or green.
import { expect, test } from "vitest";
import { coloursOf, palette } from "../shared/chart/palette";
import { cssVariables, theme } from "./theme";

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** Machado, Oliveira, Fernandes (2009), severity 1, on linear RGB. */
const sights: Record<string, Matrix> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function linearOf(colour: string): Triple {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
}

const product = (rows: Matrix, [a, b, c]: Triple): Triple => {
  const [x, y, z] = rows.map((row) => row[0] * a + row[1] * b + row[2] * c);
  return [x ?? 0, y ?? 0, z ?? 0];
};
const within = (colour: Triple): Triple => {
  const [r, g, b] = colour.map((part) => Math.min(1, Math.max(0, part)));
  return [r ?? 0, g ?? 0, b ?? 0];
};

/** Oklab (Ottosson, 2020), where equal distances look equally different. */
function oklabOf(colour: Triple): Triple {
  const cones = product(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  );
  const [l, m, s] = cones.map(Math.cbrt);
  return product(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [l ?? 0, m ?? 0, s ?? 0],
  );
}

function distance(a: string, b: string, sight: Matrix): number {
  const [from, to] = [a, b].map((colour) => oklabOf(within(product(sight, linearOf(colour)))));
  return Math.hypot(...[0, 1, 2].map((at) => (from?.[at] ?? 0) - (to?.[at] ?? 0)));
}

function contrast(a: string, b: string): number {
  const light = [a, b].map(
    (colour) =>
      product(
        [
          [0.2126, 0.7152, 0.0722],
          [0, 0, 0],
          [0, 0, 0],
        ],
        linearOf(colour),
      )[0],
  );
  return (Math.max(...light) + 0.05) / (Math.min(...light) + 0.05);
}

/** Where two colours side by side are told apart at once. */
const APART = 0.09;
/** WCAG 2.2, 1.4.11: of what is drawn. */
const LEAST_CONTRAST = 3;

for (const scheme of ["light", "dark"] as const) {
  const variables = cssVariables(theme as never)[scheme];
  const page = variables["--patina-page"] ?? "";
  for (const [name, sight] of Object.entries(sights)) {
    test(`lines on a ${scheme} page are told apart: ${name}`, () => {
      const pairs = palette[scheme].flatMap((a, at) =>
        palette[scheme].slice(at + 1).map((b) => [a, b] as const),
      );
      for (const [a, b] of pairs) expect(distance(a, b, sight), `${a} ${b}`).toBeGreaterThan(APART);
    });
  }
  test(`lines are seen on a ${scheme} page, and the page has their colours`, () => {
    for (const colour of palette[scheme])
      expect(contrast(colour, page), colour).toBeGreaterThan(LEAST_CONTRAST);
    for (const [ink, colour] of Object.entries(coloursOf(scheme)))
      expect(variables[`--patina-${ink}`]).toBe(colour);
  });
}
