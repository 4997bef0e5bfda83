import { isDeepStrictEqual } from 'node:util';
import { listAt, type Members, objectAt, SIWX_EXTENSION, textAt } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeIn, extensionIn } from '../reading.ts';
import { type Entry, unpaidAnswers, type World } from '../world.ts';
import { isRequestedUrl } from './challenge.ts';

const MAX_LIFETIME_MS = 300_000;
const SOLANA = /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/;

/** The sign-in part of a challenge. */
interface SignIn {
  readonly entry: Entry;
  readonly answer: Answer;
  readonly extension: Members;
  readonly info: Members;
}

function isShortLived(info: Members): boolean {
  const lifetime = Date.parse(textAt(info, 'expirationTime')) - Date.parse(textAt(info, 'issuedAt'));
  return lifetime > 0 && lifetime <= MAX_LIFETIME_MS;
}

/** Whether the two Solana networks of the catalog are offered. */
function offersNetworks({ extension, entry: { authNetworks = [] } }: SignIn): boolean {
  const chains = listAt(extension, 'supportedChains');
  const ids = chains.map((chain) => textAt(chain, 'chainId'));
  const areSigned = chains.every((chain) => textAt(chain, 'type') === 'ed25519');
  const areSolana = ids.length === 2 && ids.every((id) => SOLANA.test(id));
  return areSigned && areSolana && isDeepStrictEqual(ids.toSorted(), authNetworks.toSorted());
}

/** Whether a signature for this URI covers the request; the bare origin covers all of its routes. */
const coversRequest = (uri: string, answer: Answer): boolean =>
  uri === new URL(answer.url).origin || isRequestedUrl(uri, answer);

function namesRealm({ url, headers }: Answer): boolean {
  const authenticate = headers['www-authenticate'] ?? '';
  return /^SIWX\b/.test(authenticate) && authenticate.includes(`realm="${new URL(url).origin}"`);
}

/** Conditions on a sign-in, each with its problem and fix. */
const RULES: readonly (readonly [holds: (signIn: SignIn) => boolean, problem: string, fix: string])[] = [
  [
    ({ info, answer }) =>
      textAt(info, 'domain') === new URL(answer.url).host && coversRequest(textAt(info, 'uri'), answer),
    'the domain or uri of the sign-in is not the requested origin, so no wallet signs it',
    'Set GATEWAY_BASE_URL to the origin that clients use',
  ],
  [
    ({ info }) => textAt(info, 'version') === '1' && /^[0-9a-f]{32}$/.test(textAt(info, 'nonce')),
    'the version is not 1, or the nonce is not 32 lower-case hex digits',
    'Send 16 random bytes as hex with each challenge',
  ],
  [
    ({ info }) => isShortLived(info),
    'the challenge does not expire within 300 seconds',
    'Set expirationTime to 300 seconds after issuedAt',
  ],
  [
    offersNetworks,
    'supportedChains is not the two Solana networks of the catalog with type ed25519',
    'Offer mainnet and devnet, and list them as authNetworks',
  ],
  [
    ({ answer }) => namesRealm(answer),
    'WWW-Authenticate does not name the scheme and the requested origin',
    'Send WWW-Authenticate: SIWX realm="<origin>" with the 402',
  ],
];

function signInFaults(entry: Entry, answer: Answer): Fault[] {
  const challenge = challengeIn(answer);
  if (!challenge) return [];
  const where = whereOf(answer);
  const extension = extensionIn(challenge, SIWX_EXTENSION);
  const info = objectAt(extension, 'info');
  if (Object.keys(info).length === 0) {
    const problem = 'the 402 has nothing to sign';
    return [{ where, problem, fix: `Add the extension ${SIWX_EXTENSION}` }];
  }
  const signIn = { entry, answer, extension, info };
  return RULES.flatMap(([holds, problem, fix]) => unless(holds(signIn), { where, problem, fix }));
}

/** Challenges with the nonce of an earlier challenge. */
function repeatedNonces(signed: readonly Answer[]): Fault[] {
  const seen = new Set<string>();
  return signed.flatMap((answer) => {
    const challenge = challengeIn(answer);
    const nonce = textAt(challenge && extensionIn(challenge, SIWX_EXTENSION), 'info', 'nonce');
    if (nonce === '') return [];
    const isFresh = !seen.has(nonce);
    seen.add(nonce);
    return unless(isFresh, {
      where: whereOf(answer),
      problem: 'another challenge has the same nonce',
      fix: 'Create a nonce for each 402, and let no cache store it',
    });
  });
}

function run(world: World): Fault[] {
  const signed = unpaidAnswers(world).filter(({ entry }) => entry.accessMode === 'siwx');
  return [
    ...signed.flatMap(({ entry, answer }) => signInFaults(entry, answer)),
    ...repeatedNonces(signed.map(({ answer }) => answer)),
  ];
}

/** Wallets sign each challenge, and the gateway accepts the signature. */
export const signInCheck: Check = { name: 'sign-in', run };
