// A search of the catalog: its facets in words, and its form in the address of the page.
import type { ImageFacet, ImageFacetName, ImageFacets, ImageSearch, ImageSort } from "../../../api/client";
import { isWorkload, workloads } from "../../../shared/goal";
import { bytes, formatBytes } from "../../../shared/units";

interface FacetWords {
  title: string;
  label: (value: string) => string;
}

const asIs = (value: string) => value;
const origins: Record<string, string> = { aged: "Aged", trial: "After a trial", imported: "Imported" };

/** The facets, in the order of the page. */
export const facets: Record<ImageFacetName, FacetWords> = {
  file_system: { title: "File system", label: asIs },
  profile: { title: "Profile", label: asIs },
  workload: {
    title: "Workload",
    label: (value) => (isWorkload(value) ? workloads[value].label : value),
  },
  origin: { title: "Origin", label: (value) => origins[value] ?? value },
  size_bytes: { title: "Size", label: (value) => formatBytes(bytes(Number(value))).text },
  kernel: { title: "Kernel", label: asIs },
  device_model: { title: "Device model", label: asIs },
};

export const facetNames = Object.keys(facets) as ImageFacetName[];

/** Returns a value in words; the empty value is that of images without one. */
export function labelOf(name: ImageFacetName, value: string): string {
  return value === "" ? "None or unknown" : facets[name].label(value);
}

export const sorts: Record<ImageSort, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
  stored: "Largest stored first",
  fullness: "Fullest first",
};

export type CatalogSearch = ImageSearch & { sort?: ImageSort };

const isSort = (value: unknown): value is ImageSort =>
  typeof value === "string" && Object.hasOwn(sorts, value);
const isText = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** Returns the search that an address contains. Unknown members are left out; a single value may lack its list. */
export function searchOf(address: Record<string, unknown>): CatalogSearch {
  const { q, sort } = address;
  const chosen = facetNames.flatMap((name) => {
    const given = address[name];
    const values = (Array.isArray(given) ? given : [given]).filter(isText).map(String);
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return {
    ...(isText(q) && q !== "" && { q: String(q) }),
    ...(isSort(sort) && sort !== "newest" && { sort }),
    ...Object.fromEntries(chosen),
  };
}

/** Returns the values chosen for a facet. */
export const chosenOf = (search: ImageSearch, name: ImageFacetName): readonly string[] => search[name] ?? [];

/** Returns the search with one value of a facet chosen, or no longer. */
export function toggled(search: CatalogSearch, name: ImageFacetName, value: string): CatalogSearch {
  const before = chosenOf(search, name);
  const after = before.includes(value) ? before.filter((other) => other !== value) : [...before, value];
  return searchOf({ ...search, [name]: after });
}

export interface ShownFacet {
  name: ImageFacetName;
  values: ImageFacet["values"];
}

/** Returns the facets by which the images differ, and those with a chosen value, even if no image has it any longer. */
export function shownFacets(search: ImageSearch, found: ImageFacets | undefined): ShownFacet[] {
  return facetNames.flatMap((name) => {
    const chosen = chosenOf(search, name);
    const counted = found?.facets.find((facet) => facet.name === name)?.values ?? [];
    const gone = chosen.filter((value) => !counted.some((other) => other.value === value));
    const values = [...counted, ...gone.map((value) => ({ value, images_count: 0 }))];
    return values.length < 2 && chosen.length === 0 ? [] : [{ name, values }];
  });
}

/** Reports whether the search leaves images out. */
export function isNarrowed({ q, ...search }: ImageSearch): boolean {
  return q !== undefined || facetNames.some((name) => chosenOf(search, name).length > 0);
}
