// The author of a version: the name of the account, or another that was entered in this browser.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { meQuery } from "../../shared/me";

const KEY = "patina.author";

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

export function useAuthor() {
  const { data: me } = useQuery(meQuery);
  const [entered, setAuthor] = useState(remembered);
  const author = entered ?? me?.account?.name ?? "";
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
