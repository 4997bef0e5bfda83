/** A secret as it could show up in somebody's text: as it is, URL-encoded, in base64 and in hex. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ]),
  ];
}
