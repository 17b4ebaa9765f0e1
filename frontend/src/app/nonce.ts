// The number that Content-Security-Policy asks of each style element.

/** The nonce of this page; empty where the server sends no policy, as Vite's own does not. */
export function nonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
}
