// The rule for names of images.
const NAME = /^([0-9]+[._-]?)*[A-Za-z][A-Za-z0-9._-]*$/;
export const LONGEST_IMAGE_NAME = 100;

export function isImageName(name: string): boolean {
  return name.length <= LONGEST_IMAGE_NAME && NAME.test(name);
}
