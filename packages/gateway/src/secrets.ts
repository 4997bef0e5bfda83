/** The base64 digits that every encoding of a longer text has in common when it holds this one at some alignment. */
function base64Cores(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const digits = Buffer.from('\0'.repeat(shift) + secret).toString('base64');
    return digits.slice(shift === 0 ? 0 : shift + 1).replace(/.?={1,2}$/, '');
  });
}

/** A shorter one would be found in innocent text, and hides nothing. */
const MIN_LENGTH = 8;

/** A secret as it could show up in somebody's text: as it is, URL-encoded, in base64 and in hex. */
export function spellingsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = hex.replace(/../g, '%$&');
  const cores = base64Cores(secret);
  const base64url = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  const upper = [hex.toUpperCase(), percent.toUpperCase()];
  return [...new Set([secret, encodeURIComponent(secret), percent, hex, ...upper, ...cores, ...base64url])];
}

const MIN_PART_LENGTH = 16;

/** What of a URL is a secret: values of its query, and long parts of its path. */
export function secretsIn(url: string): string[] {
  const { searchParams, pathname } = new URL(url);
  return [...searchParams.values(), ...pathname.split('/')].filter((part) => part.length >= MIN_PART_LENGTH);
}

/** The password of a URL such as `postgres://user:password@host:5432/name`, also of one that names several hosts. */
export function passwordIn(url: string): string | undefined {
  const [, password] = /^[a-z]+:\/\/[^:@/]*:([^@/]*)@/.exec(url) ?? [];
  return password && decodeURIComponent(password);
}
