// Parts of the application that are fetched when they are first needed, over a network that changes under them.
const PAUSES_MS = [300, 1_000, 3_000];

/** What `load` brings, asked for again where the connection broke on the way: the browser keeps no failure. */
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
