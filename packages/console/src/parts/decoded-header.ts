/** The JSON that a header carries in base64, as its text; nothing for a header that carries none. */
export function decodedHeader(value: string): string | undefined {
  // What an object opens with, in base64.
  if (!value.startsWith('ey')) return undefined;
  try {
    const bytes = Uint8Array.from(atob(value), (each) => each.charCodeAt(0));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}
