import { isDeepStrictEqual } from 'node:util';
import { SIWX_EXTENSION } from '@asset-gateway/protocol';
import { challengeIn, extensionIn } from '../challenge.ts';
import type { Entry } from '../entry.ts';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import { unpaidAnswers, type World } from '../world.ts';
import { isAskedUrl } from './challenge.ts';

const MAX_LIFETIME_MS = 300_000;
const SOLANA = /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/;

/** The sign-in that a challenge asks for. */
interface SignIn {
  readonly entry: Entry;
  readonly answer: Answer;
  readonly extension: JsonObject;
  readonly info: JsonObject;
}

function isShortLived(info: JsonObject): boolean {
  const lifetime = Date.parse(textAt(info, 'expirationTime')) - Date.parse(textAt(info, 'issuedAt'));
  return lifetime > 0 && lifetime <= MAX_LIFETIME_MS;
}

/** Whether two Solana networks are offered, and those that the catalog lists. */
function offersNetworks({ extension, entry: { authNetworks = [] } }: SignIn): boolean {
  const chains = listAt(extension, 'supportedChains');
  const ids = chains.map((chain) => textAt(chain, 'chainId'));
  const areSigned = chains.every((chain) => textAt(chain, 'type') === 'ed25519');
  const areSolana = ids.length === 2 && ids.every((id) => SOLANA.test(id));
  return areSigned && areSolana && isDeepStrictEqual(ids.toSorted(), authNetworks.toSorted());
}

/** Whether a signature for this URI opens what was asked for; one for the bare origin opens everything there. */
const coversAsked = (uri: string, answer: Answer): boolean =>
  uri === new URL(answer.url).origin || isAskedUrl(uri, answer);

function namesRealm({ url, headers }: Answer): boolean {
  const authenticate = headers['www-authenticate'] ?? '';
  return /^SIWX\b/.test(authenticate) && authenticate.includes(`realm="${new URL(url).origin}"`);
}

/** What a sign-in has to be, as a problem and its fix where it is not. */
const RULES: readonly (readonly [holds: (signIn: SignIn) => boolean, problem: string, fix: string])[] = [
  [
    ({ info, answer }) =>
      textAt(info, 'domain') === new URL(answer.url).host && coversAsked(textAt(info, 'uri'), answer),
    'domain or uri of the sign-in is not of the origin that was dialled, and no wallet signs that',
    'Set the public origin (GATEWAY_BASE_URL) to the one that clients dial',
  ],
  [
    ({ info }) => textAt(info, 'version') === '1' && /^[0-9a-f]{32}$/.test(textAt(info, 'nonce')),
    'version is not 1, or the nonce is not 32 lower-case hex digits',
    'Issue 16 fresh bytes as hex with each challenge',
  ],
  [
    ({ info }) => isShortLived(info),
    'the challenge does not expire within 300 seconds',
    'Set expirationTime to issuedAt and 300 seconds',
  ],
  [
    offersNetworks,
    'supportedChains is not the two Solana networks of the catalog, with type ed25519',
    'Offer mainnet and devnet, and list the same as authNetworks',
  ],
  [
    ({ answer }) => namesRealm(answer),
    'WWW-Authenticate does not name the scheme and the origin that was dialled',
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
    return [{ where, problem, fix: `Put an extension ${SIWX_EXTENSION} into it` }];
  }
  const signIn = { entry, answer, extension, info };
  return RULES.flatMap(([holds, problem, fix]) => unless(holds(signIn), { where, problem, fix }));
}

/** Challenges whose nonce another challenge had already. */
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
      problem: 'its nonce is that of another challenge',
      fix: 'Issue a nonce for each 402, and let no cache keep one',
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

/** Whether a wallet would sign each challenge, and could sign in with it. */
export const signInCheck: Check = { name: 'sign-in', run };
