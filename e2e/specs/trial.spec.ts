// A trial from an image's page to its exported figure, and what its page shows while it waits and after it is stopped.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeSandbox, MIB, PATIENTLY, removeSandbox, type Device } from "../fixtures/api";
import { chooseMore } from "../fixtures/image";
import { look } from "../fixtures/look";
import { openLinkOf, statusOf } from "../fixtures/people";
import { downloadBy, expectSaved } from "../fixtures/saved";
import { expect, test as base } from "../fixtures/test";
import { endTrialsOn, getTrial, startLongTrial, trialWhenEnded } from "../fixtures/trial";

/** Makes a repository of three commits in a scan folder. Returns its folder. */
function makeRepository(): string {
  const folder = mkdtempSync(join(process.env["PATINA_TREES"] ?? "", "repository-"));
  const who = ["-c", "user.name=Patina", "-c", "user.email=patina@localhost"];
  const git = (...argv: string[]) => execFileSync("git", [...who, ...argv], { cwd: folder });
  git("init", "--quiet");
  for (const number of [1, 2, 3]) {
    // Large, so that few clones take three quarters of the device.
    writeFileSync(join(folder, `file-${number}`), randomBytes(number === 1 ? 4 * MIB : 4096));
    git("add", "--all");
    git("commit", "--quiet", "--message", `commit ${number}`);
  }
  return folder;
}

/** A device on which the image of the shared run fits. */
const test = base.extend<{ device: Device }>({
  device: async ({}, use) => {
    const device = await makeSandbox(128 * MIB);
    await use(device);
    await endTrialsOn(device.id);
    await removeSandbox(device.id);
  },
});

test("an image is measured from its page, rolled back after each repetition, and its figures are exported", async ({
  page,
  aged: { image },
  device,
}) => {
  await page.goto(`/images/${image.id}`);
  await chooseMore(page, "Measure it in a trial");
  await expect(page).toHaveURL(/\/trials\/new\?/);
  await expect(page.getByRole("checkbox", { name: image.name, exact: true })).toBeChecked();
  const start = page.getByRole("button", { name: "Start trial" });
  await expect(start).toBeDisabled();
  await page.getByRole("switch", { name: /^Measure the unaged twin too/ }).uncheck();
  const workloads = page.getByRole("group", { name: "Workloads" });
  for (const name of ["fileserver", "webserver"]) {
    const choice = workloads.getByRole("checkbox", { name, exact: true });
    if (await choice.isChecked()) await choice.uncheck();
  }
  for (const name of ["varmail", "find"])
    await workloads.getByRole("checkbox", { name, exact: true }).check();
  await page.getByRole("textbox", { name: "Seconds" }).fill("1");
  await page.getByRole("textbox", { name: "Warm-up" }).fill("0");
  await page.getByRole("textbox", { name: "Name" }).fill("From the image's page");
  await page.getByRole("combobox", { name: "Measure on" }).click();
  await page.getByRole("option", { name: new RegExp(`^${device.path}, `) }).click();
  await expect(page.getByText(/^1 image, 2 workloads, 3 times each: 6 repetitions/)).toBeVisible();
  await start.click();

  await expect(page).toHaveURL(/\/trials\/\d+$/);
  const id = Number(page.url().split("/").at(-1));
  await expect(page.getByRole("heading", { level: 1, name: "From the image's page" })).toBeVisible();
  const trial = await trialWhenEnded(id);
  expect(trial.repetitions.map(({ state }) => state)).toEqual(Array(6).fill("done"));
  for (const name of ["varmail", "find"])
    await expect(page.getByRole("figure", { name, exact: true })).toBeVisible();
  const repetitions = page.getByRole("region", { name: "Repetitions, scrollable" });
  await expect(repetitions.getByText(/^restored in /)).toHaveCount(1);
  await expect(repetitions.getByText(/^rolled back in /)).toHaveCount(5);

  await page.getByRole("button", { name: "Export", exact: true }).click();
  const saved = await downloadBy(page, () =>
    page.getByRole("menuitem", { name: "Repetitions, CSV" }).click(),
  );
  const lines = (await readFile(await saved.path(), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(1 + 6);

  await expectSaved(page, {
    title: "varmail, operations a second, more is better",
    stem: "varmail-operations-a-second-more-is-better",
    head: "group,",
  });

  await page.getByRole("link", { name: "Run this again" }).click();
  await expect(page.getByRole("checkbox", { name: "varmail", exact: true })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "fileserver", exact: true })).not.toBeChecked();
  await page.goto(`/trials/${id}`);
  await expect(page.getByRole("figure", { name: "varmail", exact: true })).toBeVisible();
  await look(page, "trial");

  await openLinkOf(page);
  await expect(page.getByRole("heading", { level: 1, name: "From the image's page" })).toBeVisible();
  await expect(page.getByRole("figure", { name: "varmail", exact: true })).toBeVisible();
  await look(page, "shared-trial");
  expect(await statusOf(page, `/trials/${id}/export?format=latex`)).toBe(200);
  expect(await statusOf(page, "/trials")).toBe(401);
});

test("a fresh file system is aged by pulls of a repository, and the variants are drawn over them", async ({
  page,
  device,
}) => {
  const repository = makeRepository();
  await page.goto("/trials/new");
  await page.getByRole("button", { name: /^Git/ }).click();
  for (const name of ["xfs", "btrfs"]) await page.getByRole("checkbox", { name, exact: true }).uncheck();
  await page.getByRole("switch", { name: "Measure ext3 and ext4 without their journal too" }).uncheck();
  const git = page.getByRole("group", { name: "git" });
  await git.getByRole("textbox", { name: "Pulls" }).fill("2");
  await git.getByRole("textbox", { name: "Measure every" }).fill("1");
  await git.getByRole("textbox", { name: "Repository" }).fill(repository);
  await page.getByRole("combobox", { name: "Measure on" }).click();
  await page.getByRole("option", { name: new RegExp(`^${device.path}, `) }).click();
  await page.getByRole("button", { name: "Start trial" }).click();
  await expect(page).toHaveURL(/\/trials\/\d+$/);
  const id = Number(page.url().split("/").at(-1));
  const trial = await trialWhenEnded(id);
  rmSync(repository, { recursive: true });
  expect(trial.repetitions.map(({ state, error_message }) => [state, error_message])).toEqual(
    Array(9).fill(["done", null]),
  );
  const read = page.getByRole("figure", { name: "git on ext4, fresh: cold read", exact: true });
  await expect(read).toBeVisible();
  for (const variant of ["full", "empty", "unaged"])
    await expect(read.getByRole("listitem").filter({ hasText: variant })).toBeVisible();
  await expect(page.getByRole("figure", { name: "git on ext4, fresh: a pull", exact: true })).toBeVisible();
  await expectSaved(page, {
    title: "git on ext4, fresh: cold read, seconds per GiB, less is better",
    stem: "git-on-ext4-fresh-cold-read-seconds-per-gib-less-is-better",
    head: "line,commits,",
  });
  await look(page, "trial-git");
});

test("a trial that is stopped keeps what it measured, and goes on when it is asked to", async ({
  page,
  aged: { image },
  device,
}) => {
  const { id } = await startLongTrial(device, image.id);
  await page.goto(`/trials/${id}`);
  const states = async () => (await getTrial(id)).repetitions.map(({ state }) => state);
  await expect.poll(states, PATIENTLY).toContain("done");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Stop trial ${id}` })
    .click();
  expect((await trialWhenEnded(id)).state).toBe("canceled");
  await expect(page.getByRole("figure", { name: "find" })).toBeVisible();
  expect(await states()).toEqual(["done", ...Array<string>(5).fill("planned")]);
  await page.getByRole("button", { name: "Measure the rest" }).click();
  await expect.poll(async () => (await getTrial(id)).state, PATIENTLY).toBe("running");
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeVisible();
});

test("a mistake in a Filebench file is named by its line and column, and the mended file is added", async ({
  page,
}) => {
  const spec = (operation: string) =>
    `define fileset name=a,path=/tmp,entries=10\ndefine process name=p {\n  thread name=t { flowop ${operation} name=x,filesetname=a }\n}\nrun 5\n`;
  await page.goto("/trials/new");
  await page.getByRole("button", { name: "Add a Filebench file" }).click();
  await page.getByRole("textbox", { name: "Name" }).first().fill("mine");
  const text = page.getByRole("textbox", { name: "Specification" });
  await text.fill(spec("nothing"));
  await page.getByRole("button", { name: "Add workload" }).click();
  await expect(page.getByRole("alert")).toContainText("3:26: unknown operation 'nothing'");
  await text.fill(spec("statfile"));
  await page.getByRole("button", { name: "Add workload" }).click();
  await expect(page.getByRole("list", { name: "Own workloads" })).toContainText("mine");
  await page.getByRole("button", { name: "Remove mine" }).click();
  await expect(page.getByRole("list", { name: "Own workloads" })).toBeHidden();
});
