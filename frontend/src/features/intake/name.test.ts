// Names of images, from names of files.
import { expect, test } from "vitest";
import { isImageName } from "../../shared/imageName";
import { nameOfFile } from "./name";

test.each([
  ["agrawal-70-ext4-1.raw.zst", "agrawal-70-ext4-1"],
  ["agrawal-70-ext4-1.oci.tar", "agrawal-70-ext4-1"],
  ["debian 12 (cloud).qcow2", "debian-12-cloud-"],
  ["2024-backup.IMG", "2024-backup"],
  [".hidden.img", "hidden"],
  ["größe.img", "gr-e"],
])("%s becomes %s, which is a name", (file_name, name) => {
  expect(nameOfFile(file_name)).toBe(name);
  expect(isImageName(name)).toBe(true);
});

test.each(["", "42", "a b", "../x", "-x", "a".repeat(101)])("%j is no name", (name) => {
  expect(isImageName(name)).toBe(false);
});
