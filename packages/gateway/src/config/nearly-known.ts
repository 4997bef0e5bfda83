import { distance } from 'fastest-levenshtein';
import type { Environment } from './settings.ts';
import { VARIABLES } from './variables.ts';

/** Beginnings that no other program uses much. */
const OURS =
  /^(?:ALCHEMY|ASSET_GATEWAY|DAS|FACILITATOR|FEE|GATEWAY|HELIUS|METRICS|PAID|PAY|PAYMENT|PRICES?|RECEIPTS?|RPC|SIWX|SOLANA|TOKENS|TRUST|UPSTREAM|WALLET)_/;

/** What Docker and Kubernetes say about other services, whatever those are called. */
const SERVICE_LINK = /_SERVICE_HOST|_SERVICE_PORT|_PORT_\d|_ENV_/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/** Names of others that begin like ours: the CGI's. */
const OF_OTHERS = ['GATEWAY_INTERFACE'];

/** A name may differ in one letter of so many. */
const LETTERS_FOR_A_SLIP = 7;

const isServiceLink = (name: string, value: string): boolean =>
  SERVICE_LINK.test(name) || SERVICE_ADDRESS.test(value) || (name.endsWith('_NAME') && value.startsWith('/'));

const isSlipOf = (name: string, known: string): boolean =>
  distance(name, known) <= known.length / LETTERS_FOR_A_SLIP && known.length >= LETTERS_FOR_A_SLIP;

/** How many words two names have in common, and how many only one of them has; a word may be cut short. */
function comparison(name: string, known: string) {
  const [words, knownWords] = [name.split('_'), known.split('_')];
  const isIn = (word: string) => words.some((other) => other.startsWith(word) || word.startsWith(other));
  const shared = knownWords.filter(isIn).length;
  return { shared, others: words.length + knownWords.length - 2 * shared };
}

/** The known name that shares words with this one and has the fewest others. */
function nearestTo(name: string): string {
  const strangeness = (known: string): number => {
    // Whoever names no cluster means mainnet.
    const plain = known.replace('MAINNET_', '');
    const { shared, others } = comparison(name, plain);
    return shared === 0 ? Number.POSITIVE_INFINITY : others + distance(name, plain) / 100;
  };
  return VARIABLES.reduce((best, known) => (strangeness(known) < strangeness(best) ? known : best));
}

/** One sentence for each variable that is not known here and seems to be meant for us. */
export function nearlyKnown(environment: Environment): string[] {
  const isStrange = ([name, value = '']: [string, string | undefined]): boolean => {
    const written = name.toUpperCase();
    // Where names are not told apart by their case, this one is read.
    const isRead = written !== name && environment[written] === value;
    const isKnown = VARIABLES.includes(name) || isRead || OF_OTHERS.includes(name);
    return value.trim() !== '' && !isKnown && !isServiceLink(name, value);
  };
  const strange = Object.entries(environment).filter(isStrange);
  return strange.flatMap(([name]) => {
    const written = name.toUpperCase();
    const nearest = nearestTo(written);
    if (!OURS.test(written) && !isSlipOf(written, nearest)) return [];
    return [`${name} is set and means nothing here; did you mean ${nearest}?`];
  });
}
