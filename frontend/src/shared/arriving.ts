// Fetches parts of the application on first use, over a network that may change.
const PAUSES_MS = [300, 1_000, 3_000];

/** Returns the result of `load`, with retries after a broken connection: the browser caches no failure. */
export async function arriving<Part>(load: () => Promise<Part>): Promise<Part> {
  for (const pause_ms of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
  }
  return load();
}
