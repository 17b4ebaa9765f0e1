// The part of the API that the generated schema does not have yet, written by the agreed contract. It goes
// as soon as `make generate` brings these paths.
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
type Bins = Pick<Schemas["ProfileVersionRead"], "size" | "depth" | "age">;
type HistogramName = keyof Bins;

export interface ProfileVersionRead extends Bins {
  id: number;
  number: number;
  message: string;
  author: string;
  digest: string;
  created_at: string;
}
export type VersionListed = Omit<ProfileVersionRead, HistogramName | "id">;
export interface ParentVersion {
  name: string;
  number: number;
}
export interface ProfileRead {
  id: number;
  name: string;
  title: string;
  description: string;
  source: string;
  is_builtin: boolean;
  tags: string[];
  archived_at: string | null;
  parent: ParentVersion | null;
  created_at: string;
  versions_count: number;
  latest_version: ProfileVersionRead;
}
export interface ProfileCreate {
  name: string;
  title: string;
  description: string;
  source: string;
  tags: string[];
  parent?: ParentVersion | null;
  histograms: Bins;
  message: string;
  author: string;
}
export type ProfileUpdate = Partial<Pick<ProfileCreate, "title" | "description" | "source" | "tags">>;
export type VersionCreate = Pick<ProfileCreate, "histograms" | "message" | "author">;

export interface ReadingRow {
  histogram: HistogramName;
  file: string;
  line: number;
  edge: number | null;
  weight: number | null;
  subdirs: number | null;
  problem: string | null;
}
export interface ReadingProblem {
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
  histograms: Bins;
  digest: string | null;
}

export type FitKind = "lognormal" | "lognormal_pareto" | "poisson";
export interface FitCreate {
  histogram: HistogramName;
  kind: FitKind;
  edges: number[];
  weights?: number[];
  parameters?: Record<string, number>;
}
export interface FitRead {
  parameters: Record<string, number>;
  weights: number[];
  distance: number;
}

export interface ScanProgress {
  files_count: number;
  directories_count: number;
  bytes: number;
  unreadable_files_count: number;
  unreadable_directories_count: number;
}
export interface ScanRead {
  id: number;
  host: string;
  directory: string;
  state: Schemas["RunState"];
  progress: ScanProgress | null;
  result: { histograms: Bins } | null;
  error_code: string | null;
  error_message: string | null;
}

export interface ForecastCreate {
  profile?: string;
  histograms?: Bins;
  capacity_bytes: number;
  fullness: number;
  device_id?: number;
  max_rmse?: number;
  max_overwrites?: number;
  max_ops?: number;
}
export interface ForecastDuration {
  seconds: number;
  basis: "device" | "kind" | "default";
  ops_per_s: number;
  runs_count: number;
}
export type ForecastRead = Schemas["Plan"] & { duration: ForecastDuration };
export type CurrentVersion = Pick<ProfileVersionRead, "number" | "message" | "author" | "created_at">;

interface Answer<Body> {
  headers: Record<string, unknown>;
  content: { "application/json": Body };
}
interface Refused {
  headers: Record<string, unknown>;
  content: { "application/problem+json": Schemas["Problem"] & { current?: CurrentVersion | null } };
}
interface Ask<Parameters, Data> {
  parameters: Parameters;
  requestBody?: never;
  responses: { 200: Answer<Data>; 422: Refused };
}
interface Send<Parameters, Body, Data> {
  parameters: Parameters;
  requestBody: { content: { "application/json": Body } };
  responses: { 200: Answer<Data>; 422: Refused };
}
interface Named {
  path: { name: string };
}
interface Numbered {
  path: { name: string; number: number };
}
interface Matching {
  path: { name: string };
  header: { "If-Match": string };
}
interface None {
  query?: never;
  header?: never;
  path?: never;
}

interface ContractPaths {
  "/api/v1/profiles": {
    get: Ask<{ query?: { archived?: boolean } }, { items: ProfileRead[] }>;
    post: Send<None, ProfileCreate, ProfileRead>;
  };
  "/api/v1/profiles/{name}": {
    get: Ask<Named, ProfileRead>;
    patch: Send<Matching, ProfileUpdate, ProfileRead>;
    delete: Ask<Named, undefined>;
  };
  "/api/v1/profiles/{name}/versions": {
    get: Ask<Named, { items: VersionListed[] }>;
    post: Send<Matching, VersionCreate, ProfileVersionRead>;
  };
  "/api/v1/profiles/{name}/versions/{number}": { get: Ask<Numbered, ProfileVersionRead> };
  "/api/v1/profiles/{name}/archive": { post: Ask<Named, ProfileRead> };
  "/api/v1/profiles/{name}/unarchive": { post: Ask<Named, ProfileRead> };
  "/api/v1/profile_readings": {
    post: Send<None, { text?: string; histogram?: HistogramName }, ProfileReading>;
  };
  "/api/v1/fits": { post: Send<None, FitCreate, FitRead> };
  "/api/v1/scans": { post: Send<None, { host: string; directory: string }, ScanRead> };
  "/api/v1/scans/{scan_id}": { get: Ask<{ path: { scan_id: number } }, ScanRead> };
  "/api/v1/scans/{scan_id}/cancel": { post: Ask<{ path: { scan_id: number } }, ScanRead> };
  "/api/v1/forecasts": { post: Send<None, ForecastCreate, ForecastRead> };
  "/api/v1/hosts": {
    get: Ask<None, { items: (Schemas["HostRead"] & { scan_folders: string[] })[] }>;
  };
}

export type ContractedPaths = Omit<paths, keyof ContractPaths> & ContractPaths;
