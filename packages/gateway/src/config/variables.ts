import { distance } from '@asset-gateway/protocol';
import { type Environment, SERVICE_ADDRESS } from './settings.ts';
import names from './variables.json' with { type: 'json' };

/** All variables of the gateway and the command line; see docs/configuration.md. */
export const VARIABLES: readonly string[] = names;

/** Removed variables, each with a sentence that says what replaces it. */
const REMOVED: Readonly<Record<string, string>> = {
  CACHE_FILE:
    'CACHE_FILE was removed: write lifetimes in APIS_FILE, such as ' +
    '{"tokens": {"operations": {"search": {"cache": {"freshSeconds": 60, "maxStaleSeconds": 300}}}}}: docs/apis-file.md',
  PAYMENT_MEMO:
    'PAYMENT_MEMO was removed: unset it; a gateway that settles itself accepts payments without our memo, and with ' +
    'FACILITATOR_URL the memo is required',
  PRICE_SURCHARGE_USD_MICROS:
    'PRICE_SURCHARGE_USD_MICROS was removed: set SETTLEMENT_FEE_USD_MICROS, which calls that are settled by themselves cost in ' +
    'addition to their list price (default 4000 if the gateway settles itself); calls paid from credit cost the list price',
  PRICES_FILE:
    'PRICES_FILE was removed: write prices in APIS_FILE, in dollars, such as ' +
    '{"rpc": {"price": "0.0015", "operations": {"getBalance": {"price": "0.002"}}}}: docs/apis-file.md',
};

/** Returns a fault for each removed variable that is set. */
export const removedFaults = (environment: Environment): string[] =>
  Object.entries(REMOVED).flatMap(([name, fault]) => (environment[name]?.trim() ? [`${fault}.`] : []));

/** Matches our variables by prefixes that other programs rarely use. */
const OURS =
  /^(?:ALCHEMY|ASSET_GATEWAY|DAS|FACILITATOR|FEE|GATEWAY|HELIUS|METRICS|PAID|PAY|PAYMENT|PRICES?|RECEIPTS?|RPC|SETTLEMENT|SIWX|SOLANA|TOKENS|TRUST|UPSTREAM|WALLET)_/;

/** Matches the variables that Docker and Kubernetes set for linked services. */
const SERVICE_LINK = /_SERVICE_HOST|_SERVICE_PORT|_PORT_\d|_ENV_/;

/** Variables of other programs with one of our prefixes, and the lower-case proxy variables. */
const OF_OTHERS = ['GATEWAY_INTERFACE', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Of this many letters of a name, one may differ. */
const LETTERS_FOR_A_SLIP = 7;

const isServiceLink = (name: string, value: string): boolean =>
  SERVICE_LINK.test(name) || SERVICE_ADDRESS.test(value) || (name.endsWith('_NAME') && value.startsWith('/'));

const isSlipOf = (name: string, known: string): boolean =>
  distance(name, known) <= known.length / LETTERS_FOR_A_SLIP && known.length >= LETTERS_FOR_A_SLIP;

/** Returns the known name that shares words with this one and has the fewest other words. An abbreviation counts as shared. */
function nearestTo(name: string): string {
  const words = name.split('_');
  const isIn = (word: string) => words.some((other) => other.startsWith(word) || word.startsWith(other));
  const strangeness = (known: string): number => {
    // A name without a cluster means mainnet.
    const plain = known.replace('MAINNET_', '');
    const knownWords = plain.split('_');
    const shared = knownWords.filter(isIn).length;
    const others = words.length + knownWords.length - 2 * shared;
    return shared === 0 ? Number.POSITIVE_INFINITY : others + distance(name, plain) / 100;
  };
  return VARIABLES.reduce((best, known) => (strangeness(known) < strangeness(best) ? known : best));
}

/** Returns a notice for each unknown variable that looks misspelt. */
export function nearlyKnown(environment: Environment): string[] {
  const isStrange = ([name, value = '']: [string, string | undefined]): boolean => {
    const written = name.toUpperCase();
    // Windows ignores the case of names.
    const isRead = written !== name && environment[written] === value;
    const isKnown = VARIABLES.includes(name) || name in REMOVED || isRead || OF_OTHERS.includes(name);
    return value.trim() !== '' && !isKnown && !isServiceLink(name, value);
  };
  const strange = Object.entries(environment).filter(isStrange);
  return strange.flatMap(([name]) => {
    const written = name.toUpperCase();
    const nearest = nearestTo(written);
    if (!OURS.test(written) && !isSlipOf(written, nearest)) return [];
    return [`${name} is set but unknown; did you mean ${nearest}?`];
  });
}
