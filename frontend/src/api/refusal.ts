// The texts of a refusal: the server's, or the page's own for errors that only the page knows.
import { Refusal } from "./client";

interface Explanation {
  title: string;
  sentence: string;
  next: string | null;
}

export function explain(error: unknown): Explanation {
  if (error instanceof Refusal)
    return {
      title: error.title,
      sentence: error.message,
      next: error.code === "unreachable" ? "Nothing you entered is lost. Try again in a moment." : null,
    };
  const sentence = error instanceof Error ? error.message : "Unknown error.";
  return { title: "Unexpected error in this page", sentence, next: "Reload the page." };
}
