// The rule for names of images.
const NAME = /^([0-9]+[._-]?)*[A-Za-z][A-Za-z0-9._-]*$/;
export const LONGEST_IMAGE_NAME = 100;

export function isImageName(name: string): boolean {
  return name.length <= LONGEST_IMAGE_NAME && NAME.test(name);
}

/** Returns what is wrong with the name; null for one that can be sent, and for none. */
export function problemOfImageName(name: string): string | null {
  if (name === "" || isImageName(name)) return null;
  return "At most 100 letters, digits, dots, dashes and underscores, with a letter";
}
