// The author's name, kept in this browser: there are no accounts yet.
import { useState } from "react";

const KEY = "patina.author";

function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch (error) {
    if (error instanceof DOMException) return "";
    throw error;
  }
}

export function useAuthor() {
  const [author, setAuthor] = useState(remembered);
  const remember = () => {
    try {
      localStorage.setItem(KEY, author);
    } catch (error) {
      // Without storage the user is asked again.
      if (!(error instanceof DOMException)) throw error;
    }
  };
  return { author, setAuthor, remember };
}
