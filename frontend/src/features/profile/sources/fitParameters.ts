// Pure: the parameters of a fit as displayed and typed. The median is clearer than its logarithm.
import type { FitKind, FitParameters, HistogramName } from "../../../api/client";
import { bytes, formatBytes, formatFraction, fraction, parseBytes, parseNumber } from "../../../shared/units";
import { rounded } from "../editor/draft/edit";

export const kindsOf: Record<HistogramName, readonly [FitKind, ...FitKind[]]> = {
  size: ["lognormal_pareto", "lognormal"],
  depth: ["poisson"],
  age: ["lognormal"],
};

export const kindTitles: Record<FitKind, string> = {
  lognormal: "Lognormal",
  lognormal_pareto: "Lognormal with a Pareto tail",
  poisson: "Poisson",
};

/** One field: formats a parameter and parses its text; null for invalid text. */
export interface ParameterField {
  key: string;
  title: string;
  textOf: (value: number) => string;
  parse: (typed: string) => number | null;
}

const plain = (key: string, title: string): ParameterField => ({
  key,
  title,
  textOf: (value) => String(rounded(value, 4)),
  parse: parseNumber,
});

const logOf = (value: number | null) => (value === null || value <= 0 ? null : Math.log(value));

function medianField(histogram: HistogramName): ParameterField {
  if (histogram !== "size")
    return {
      key: "mu",
      title: "Median",
      textOf: (mu) => String(rounded(Math.exp(mu), 4)),
      parse: (typed) => logOf(parseNumber(typed)),
    };
  return {
    key: "mu",
    title: "Median",
    textOf: (mu) => formatBytes(bytes(Math.max(1, Math.round(Math.exp(mu))))).text,
    parse: (typed) => logOf(parseBytes(typed)),
  };
}

const sigma = plain("sigma", "Sigma of the logarithm");

export function fieldsOf(histogram: HistogramName, kind: FitKind): readonly ParameterField[] {
  switch (kind) {
    case "poisson":
      return [plain("mean", "Mean depth")];
    case "lognormal":
      return [medianField(histogram), sigma];
    case "lognormal_pareto":
      return [
        medianField(histogram),
        sigma,
        {
          key: "tail_from",
          title: "Tail from",
          textOf: (value) => formatBytes(bytes(Math.round(value))).text,
          parse: parseBytes,
        },
        {
          key: "tail_fraction",
          title: "Files in the tail, %",
          textOf: (value) => formatFraction(fraction(value)).text.replace(" %", ""),
          parse: (typed) => {
            const value = parseNumber(typed);
            return value === null || value >= 100 ? null : value / 100;
          },
        },
        plain("alpha", "Pareto's alpha"),
      ];
  }
}

export function valueOf(parameters: FitParameters, key: string): number {
  return (parameters as unknown as Record<string, number>)[key] ?? 0;
}

export function withValue(parameters: FitParameters, key: string, value: number): FitParameters {
  return { ...parameters, [key]: value };
}
