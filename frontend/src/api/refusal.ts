// What to tell a person about a refusal: the server's own words, or those for what the page alone knows.
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
  const sentence = error instanceof Error ? error.message : "An unknown error.";
  return { title: "This page made a mistake", sentence, next: "Reload the page." };
}
