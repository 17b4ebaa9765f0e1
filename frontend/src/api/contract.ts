// The part of the API that the generated schema does not have yet, written by the agreed contract. It goes
// as soon as `make generate` brings these paths.
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
type HistogramName = Schemas["SetAsideBin"]["histogram"];

export interface ReadingRow {
  histogram: HistogramName | null;
  file: string;
  line: number;
  edge: number | null;
  weight: number | null;
  subdirs: number | null;
  problem: string | null;
}
interface ReadingProblem {
  file: string;
  line: number | null;
  message: string;
}
export interface ProfileReading {
  format: "patina" | "geriatrix" | "csv" | "columns";
  title: string | null;
  description: string | null;
  source: string | null;
  rows: ReadingRow[];
  problems: ReadingProblem[];
  histograms: Pick<Schemas["ProfileVersionRead"], HistogramName>;
  digest: string | null;
}

export interface LognormalParameters {
  mu: number;
  sigma: number;
}
export interface LognormalParetoParameters extends LognormalParameters {
  alpha: number;
  tail_from: number;
  tail_fraction: number;
}
export interface PoissonParameters {
  mean: number;
}
export type FitParameters = LognormalParetoParameters | LognormalParameters | PoissonParameters;
export interface FitCreate {
  histogram: HistogramName;
  kind: "lognormal" | "lognormal_pareto" | "poisson";
  edges: number[];
  weights?: number[] | null;
  parameters?: FitParameters | null;
}
export interface FitRead {
  parameters: FitParameters;
  weights: number[];
  distance: number | null;
}

interface Send<Body, Data> {
  parameters: { query?: never; header?: never; path?: never };
  requestBody: { content: { "application/json": Body } };
  responses: {
    200: { headers: Record<string, unknown>; content: { "application/json": Data } };
    "4XX": { headers: Record<string, unknown>; content: { "application/problem+json": Schemas["Problem"] } };
  };
}

export interface ContractedPaths extends paths {
  "/api/v1/profile_readings": {
    post: Send<{ files?: string[]; text?: string; histogram?: HistogramName }, ProfileReading>;
  };
  "/api/v1/fits": { post: Send<FitCreate, FitRead> };
}
