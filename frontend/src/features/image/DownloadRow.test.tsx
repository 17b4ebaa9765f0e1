// The digest of a format: requested, in progress, known, refused.
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Refusal, type ImageDownload } from "../../api/client";
import { DownloadRow } from "./DownloadRow";

const onAsk = vi.fn<() => void>();
const download: ImageDownload = {
  format: "qcow2",
  file_name: "aged.qcow2",
  url: "/api/v1/images/3/download/qcow2",
  sha256_url: "/api/v1/images/3/download/qcow2.sha256",
  size_bytes: 3 * 2 ** 20,
  etag: '"x"',
  sha256: null,
  digest_progress_fraction: null,
};

function show(changes: Partial<ImageDownload> = {}, isAsked = false, refusal: Error | null = null) {
  render(
    <MantineProvider>
      <DownloadRow download={{ ...download, ...changes }} onAsk={onAsk} isAsked={isAsked} refusal={refusal} />
    </MantineProvider>,
  );
}

afterEach(() => {
  cleanup();
  onAsk.mockReset();
});

test("the link fetches the file under its name, and its size is exact on hover", () => {
  show();
  const link = screen.getByRole("link", { name: "Download qcow2" });
  expect(link.getAttribute("href")).toBe(download.url);
  expect(link.getAttribute("download")).toBe("aged.qcow2");
  expect(screen.getByTitle("3,145,728 bytes").textContent).toBe("3 MiB");
});

test("a digest is computed on demand", () => {
  show();
  fireEvent.click(screen.getByRole("button", { name: "Compute SHA-256 of qcow2" }));
  expect(onAsk).toHaveBeenCalledOnce();
});

test("a digest in progress shows its share, also when another user requested it", () => {
  show({ digest_progress_fraction: 0.25 });
  expect(screen.getByRole("progressbar", { name: "Digest of qcow2" }).getAttribute("aria-valuenow")).toBe(
    "25",
  );
  expect(screen.getByText("computing SHA-256, 25 %")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Compute/ })).toBeNull();
});

test("a digest that was just asked for is on its way at once", () => {
  show({}, true);
  expect(screen.getByText("computing SHA-256, 0 %")).toBeTruthy();
});

test("a known digest is shown to be copied", () => {
  show({ sha256: "ab".repeat(32) });
  expect(screen.getByText("ab".repeat(32))).toBeTruthy();
  expect(screen.getByRole("button", { name: "Copy digest of qcow2" })).toBeTruthy();
});

test("a refused digest shows the reason, and can be requested again", () => {
  show(
    {},
    false,
    new Refusal("chunk_corrupt", 500, "A chunk of this image is damaged", "The chunk abc is damaged."),
  );
  expect(screen.getByRole("alert").textContent).toContain("The chunk abc is damaged.");
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(onAsk).toHaveBeenCalledOnce();
});
