const utf8 = new TextEncoder();

/** The base64 of a text's UTF-8 bytes. */
export function base64(text: string): string {
  let bytes = '';
  for (const byte of utf8.encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
