/** Returns the base64 digits of a secret for each of three alignments, without digits that depend on the text around it. */
function base64Cores(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const digits = Buffer.from('\0'.repeat(shift) + secret).toString('base64');
    return digits.slice(shift === 0 ? 0 : shift + 1).replace(/.?={1,2}$/, '');
  });
}

/** The shortest secret that is redacted. Shorter ones would match ordinary text. */
const MIN_LENGTH = 8;

/** Returns the spellings of a secret: plain, URL-encoded, base64 and hex. */
export function spellingsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = hex.replace(/../g, '%$&');
  const cores = base64Cores(secret);
  const base64url = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  const upper = [hex.toUpperCase(), percent.toUpperCase()];
  const encoded = [encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)];
  const lower = encoded.map((text) => text.replace(/%../g, (byte) => byte.toLowerCase()));
  return [...new Set([secret, ...encoded, ...lower, percent, hex, ...upper, ...cores, ...base64url])];
}

const MIN_PART_LENGTH = 16;

/** Returns the secrets in a URL: its query values and long path segments. */
export function secretsIn(url: string): string[] {
  const { searchParams, pathname } = new URL(url);
  return [...searchParams.values(), ...pathname.split('/')].filter((part) => part.length >= MIN_PART_LENGTH);
}

/** Decodes a part of a URL. Keeps a `%` that begins no escape, and text that is not UTF-8. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return text;
  }
}

/**
 * Returns the passwords in a URL such as `postgres://user:password@host:5432/name`. The URL may name several hosts and is not validated.
 */
export function passwordsIn(url: string): string[] {
  const [, rest = ''] = url.split('://', 2);
  const [authority = ''] = rest.split(/[/?]/, 1);
  const user = authority.slice(0, Math.max(authority.lastIndexOf('@'), 0));
  const query = new URLSearchParams(rest.includes('?') ? rest.slice(rest.indexOf('?') + 1) : '');
  const own = user.includes(':') ? decoded(user.slice(user.indexOf(':') + 1)) : '';
  return [own, ...query.getAll('password')].filter((password) => password !== '');
}
