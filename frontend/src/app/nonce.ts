// The nonce that Content-Security-Policy requires of each style element.

/** Returns the nonce of this page; empty where the server sends no policy, as Vite's does not. */
export function nonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
}
