/**
 * Solana's client states a Content-Length beside the one of `fetch` itself. The dispatcher of the package undici, which
 * serves every `fetch` of a process that has imported it first, refuses two of them; this leaves the second one out.
 */
export function stateLengthsOnce(): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
    headers.delete('content-length');
    return original(input, { ...init, headers });
  };
}
