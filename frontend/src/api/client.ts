// The HTTP client. Its types are the generated schema's; a refusal becomes a Refusal with the server's code.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
export type Sharing = Schemas["Sharing"];
/** What a link shows: one of these. */
export type Shown = Pick<Schemas["SharedLinkCreate"], "image_id" | "profile" | "job_id">;
export type SharedLink = Schemas["SharedLinkRead"];
/** What says who has made something, and who sees it. */
export type Shared = Pick<
  Schemas["JobRead"],
  "account_name" | "visibility" | "team_id" | "team_name" | "is_changeable"
>;
export type Device = Schemas["DeviceRead"];
/** A device with what it holds and what is done on it. */
export type DeviceItem = Schemas["DeviceItem"];
export type DeviceJob = Schemas["DeviceJob"];
export type DeviceUse = Schemas["DeviceUse"];
export type SandboxCreate = Schemas["SandboxCreate"];
export type EmulationCreate = Schemas["EmulationCreate"];
export type Shingle = NonNullable<Schemas["DeviceRead"]["shingle"]>;
export type CaveatShingle = Schemas["CaveatShingle-Output"];
export type AppendShingle = Schemas["AppendShingle-Output"];
export type DiskModel = Schemas["DiskModel"];
export type Emulation = Schemas["Emulation"];
export type Emulated = Schemas["Emulated"];
export type Fault = Schemas["FaultRead"]["fault"];
export type Host = Schemas["HostRead"];
export type HostMark = Schemas["HostMark"];
export type JoinToken = Schemas["JoinTokenRead"];
export type JoinTokenMade = Schemas["JoinTokenMade"];
export type JoinTokenCreate = Schemas["JoinTokenCreate"];
export type Profile = Schemas["ProfileRead"];
export type ProfileVersion = Schemas["ProfileVersionRead"];
export type ProfileVersionUses = Schemas["ProfileVersionUses"];
export type ProfileUses = Schemas["ProfileUses"];
export type ProfileUse = Schemas["ProfileUse"];
export type ProfileVersionLink = Schemas["ProfileVersionLink"];
export type CurrentVersion = Schemas["CurrentVersion"];
export type ProfileCreate = Schemas["ProfileCreate"];
export type ProfileUpdate = Schemas["ProfileUpdate"];
export type ProfileVersionCreate = Schemas["ProfileVersionCreate"];
export type ProfileReading = Schemas["ProfileReading"];
export type ReadingRow = Schemas["ReadingRow"];
export type FitCreate = Schemas["FitCreate"];
export type FitKind = FitCreate["kind"];
export type FitParameters = Fit["parameters"];
export type Fit = Schemas["FitRead"];
export type Scan = Schemas["ScanRead"];
export type ScanCreate = Schemas["ScanCreate"];
export type ScanSummary = Schemas["ScanSummary"];
export type Plan = Schemas["Plan"];
export type Pace = Schemas["PaceRead"];
export type StopConditions = Schemas["StopConditions"];
export type ExtensionCreate = Schemas["ExtensionCreate"];
export type SimulationRead = Schemas["SimulationRead"];
export type ForecastCreate = Schemas["ForecastCreate"];
export type SetAsideBin = Schemas["SetAsideBin"];
export type Run = Schemas["RunRead"];
export type BatchLink = Schemas["BatchLink"];
export type Prediction = Schemas["Prediction"];
export type RunItem = Schemas["RunItem"];
export type RunChange = Schemas["RunChange"];
export type RunQuery = Omit<
  NonNullable<paths["/api/v1/runs"]["get"]["parameters"]["query"]>,
  "cursor" | "limit"
>;
export type RunSort = Schemas["RunSort"];
export type JobState = Schemas["JobState"];
export type Job = Schemas["JobRead"];
export type JobItem = Schemas["JobItem"];
export type JobAhead = Schemas["JobAhead"];
export type Phase = Schemas["Phase"];
export type RunCreate = Schemas["RunCreate"];
export type Batch = Schemas["BatchRead"];
export type BatchCreate = Schemas["BatchCreate"];
export type FileSystem = NonNullable<RunCreate["file_system"]>;
export type JobEvent = Schemas["JobEvent"];
export type JobPayload = JobEvent["payload"];
export type JobProgress = Schemas["JobProgress"];
export type Sample = Schemas["Sample"];
export type AgeSummary = Schemas["AgeSummary"];
export type FreeExtents = Schemas["FreeExtents"];
export type Image = Schemas["ImageRead"];
export type ImageItem = Schemas["ImageItem"];
export type DeletedImage = Schemas["DeletedImageRead"];
export type ImageSearch = NonNullable<paths["/api/v1/images/facets"]["get"]["parameters"]["query"]>;
export type ImageFacetName = Exclude<keyof ImageSearch, "q">;
export type ImageFacets = Schemas["ImageFacets"];
export type ImageFacet = Schemas["Facet"];
export type ImageSort = Schemas["Sort"];
/** Fields that only an aged image, or a trial of one, has. */
type RunFact =
  | "run_id"
  | "device_id"
  | "device_stable_id"
  | "device_kind"
  | "file_system"
  | "fullness"
  | "recipe"
  | "plan"
  | "summary";
export type AgedImage = Image & { [Fact in RunFact]: NonNullable<Image[Fact]> };
/** An image with the facts of its aging, by a run of this server or of the one that exported it. */
export type ImageOfAging = Image & {
  [Fact in "fullness" | "recipe" | "summary"]: NonNullable<Image[Fact]>;
};
export type Intake = Schemas["IntakeRead"];
export type IntakeCreate = Schemas["IntakeCreate"];
export type Recipe = Schemas["Recipe"];
export type IntakeFacts = Schemas["IntakeFacts"];
export type IntakeKind = Schemas["IntakeKind"];
export type Action = Schemas["ActionRead"];
export type ActionCreate = Schemas["ActionCreate"];
export type Holding = Schemas["HoldingRead"];
export type ImageDownload = Schemas["DownloadRead"];
export type ImageDownloads = Schemas["ImageDownloads"];
export type ImageName = Schemas["ImageLink"];
export type ImageUse = Schemas["ImageUse"];
export type TrafficRate = Schemas["TrafficRate"];
export type DiskHealth = Schemas["DiskHealth"];
export type LineageImage = Schemas["LineageImage"];
export type ImageDifference = Schemas["ImageDifference"];
export type Reproduction = Schemas["Reproduction"];
export type ReproductionCreate = Schemas["ReproductionCreate"];
export type RetentionRule = Schemas["Rule"];
export type RetentionPreview = Schemas["RetentionPreview"];
export type Retention = Schemas["RetentionRead"];
export type ImageChange = Schemas["ImageChange"];
export type ImageNaming = Schemas["ImageNamingRead"];
export type Layout = Schemas["Layout"];
export type BlockMap = Schemas["BlockMap"];
export type Space = Schemas["Space"];
export type WorkloadPlan = Schemas["WorkloadPlan"];
export type Deletion = Schemas["DeletionRead"];
export type Problem = Schemas["Problem"] & { current?: CurrentVersion | null };
export type Notice = Schemas["NoticeRead"];
export type NoticeKind = Schemas["NoticeKind"];
export type Webhook = Schemas["WebhookRead"];
export type WebhookCreate = Schemas["WebhookCreate"];
export type WebhookCreated = Schemas["WebhookCreated"];
export type Delivery = Schemas["DeliveryRead"];
export type Trial = Schemas["TrialRead"];
export type TrialItem = Schemas["TrialItem"];
export type TrialCreate = Schemas["TrialCreate"];
export type Study = Schemas["StudyRead"];
export type StudyItem = Schemas["StudyItem"];
export type StudyCell = Schemas["StudyCell"];
export type StudyEstimate = Schemas["StudyEstimate"];
export type StudyRequest = Schemas["StudyRequest"];
export type RunSettings = Schemas["RunSettings"];
export type TrialArm = Schemas["Arm"];
export type TrialWorkload = Trial["settings"]["workloads"][number];
export type TrialFigure = Schemas["TrialFigure"];
export type Repetition = Schemas["RepetitionRead"];
export type WorkloadDescription = Schemas["WorkloadDescription"];
export type Account = Schemas["AccountRead"];
export type AccountItem = Schemas["AccountItem"];
export type OpenidFinish = Schemas["OpenidFinish"];
export type Identity = Schemas["IdentityRead"];
export type Role = Schemas["Role"];
export type Team = Schemas["TeamRead"];
export type Credential = Schemas["CredentialRead"];
export type AccountLink = Schemas["LinkRead"];
export type AuditEntry = Schemas["AuditEntryRead"];
export type AuditFilter = Pick<
  NonNullable<paths["/api/v1/audit"]["get"]["parameters"]["query"]>,
  "account" | "action" | "outcome"
>;
export type HistogramName = SetAsideBin["histogram"];

export const client = createClient<paths>({
  baseUrl: globalThis.location.origin,
  fetch: (request) => globalThis.fetch(request),
});

export class Refusal extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly title: string,
    detail: string,
    /** The current version, where an edit of an older one was refused. */
    readonly current: CurrentVersion | null = null,
    /** Of the request's fields, where the server refused their values. */
    readonly fields: readonly Schemas["FieldProblem"][] = [],
  ) {
    super(detail);
    this.name = "Refusal";
  }
}

/** Reports whether the image was aged; the database ensures all fields of a run, or none. */
export function isAged(image: Image): image is AgedImage {
  return image.run_id !== null;
}

/** Reports whether the facts of its aging are known; the database ensures all of them, or none. */
export function hasRecipe(image: Image): image is ImageOfAging {
  return image.recipe !== null;
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

function unreachable(status: number, detail: string): Refusal {
  return new Refusal("unreachable", status, "No answer from the server", detail);
}

function refusalOf({ error, response: { status } }: Answer<unknown>): Refusal {
  if (isProblem(error))
    return new Refusal(error.code, status, error.title, error.detail, error.current ?? null, error.errors);
  return unreachable(status, `The server answered ${status} without a reason.`);
}

async function answered<Data>(call: Promise<Answer<Data>>): Promise<Answer<Data>> {
  try {
    return await call;
  } catch {
    throw unreachable(0, "The server did not answer. It may be restarting.");
  }
}

/** Returns the data of an answer; throws the server's Refusal, or `unreachable` where there was no answer. */
export async function read<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const answer = await answered(call);
  if (answer.data !== undefined && answer.response.ok) return answer.data;
  throw refusalOf(answer);
}

export type Tagged<Data> = Data & { etag: string };

/** Returns the data with the tag that an edit must name, so that an edit of an older version is refused. */
export async function readTagged<Data extends object>(call: Promise<Answer<Data>>): Promise<Tagged<Data>> {
  const answer = await answered(call);
  if (answer.data === undefined || !answer.response.ok) throw refusalOf(answer);
  return { ...answer.data, etag: answer.response.headers.get("ETag") ?? "" };
}

/** Awaits an answer without content. */
export async function finished(call: Promise<Answer<unknown>>): Promise<void> {
  await read(call.then((answer) => ({ ...answer, data: answer.response.ok ? true : undefined })));
}
