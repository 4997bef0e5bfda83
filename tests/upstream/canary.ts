import { CANARY_KEY, CANARY_SECRET } from '../kit/test-gateway.ts';

/** The base64 digits of a secret inside a longer text, for each alignment. */
function base64Cores(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const digits = Buffer.from('\0'.repeat(shift) + secret).toString('base64');
    return digits.slice(shift === 0 ? 0 : shift + 1).replace(/.?=+$/, '');
  });
}

function spellingsOf(secret: string): string[] {
  const cores = base64Cores(secret);
  const escaped = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  return [
    secret,
    encodeURIComponent(secret),
    escaped,
    Buffer.from(secret).toString('hex'),
    ...cores,
    ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

const SPELLINGS = [CANARY_KEY, CANARY_SECRET].flatMap(spellingsOf).map((spelling) => spelling.toLowerCase());

/** Spellings of secrets in a text: raw, base64, hex or URL-encoded. */
export function secretsIn(text: string): string[] {
  const searched = text.toLowerCase();
  return SPELLINGS.filter((spelling) => searched.includes(spelling));
}
