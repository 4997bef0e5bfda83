import { isDeepStrictEqual } from 'node:util';
import { listAt, type Members, objectAt, SIWX_EXTENSION, textAt } from '@asset-gateway/protocol';
import type { CatalogEntry } from '../entry.ts';
import { type Exploration, unpaidAnswers } from '../explore.ts';
import { type Fault, faultsAt, type Problem, unless } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeIn, extensionIn } from '../reading.ts';
import { isRequestedUrl } from './challenge.ts';

const MAX_LIFETIME_MS = 300_000;
const SOLANA = /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/;

/** Whether the extension offers the catalog's two Solana networks. */
function offersNetworks(extension: Members, { authNetworks = [] }: CatalogEntry): boolean {
  const chains = listAt(extension, 'supportedChains');
  const ids = chains.map((chain) => textAt(chain, 'chainId'));
  const areSigned = chains.every((chain) => textAt(chain, 'type') === 'ed25519');
  const areSolana = ids.length === 2 && ids.every((id) => SOLANA.test(id));
  return areSigned && areSolana && isDeepStrictEqual(ids.toSorted(), authNetworks.toSorted());
}

function signInProblems(extension: Members, entry: CatalogEntry, answer: Answer): (Problem | undefined)[] {
  const info = objectAt(extension, 'info');
  if (Object.keys(info).length === 0) {
    return [{ problem: 'the 402 has nothing to sign', fix: `Add the extension ${SIWX_EXTENSION}` }];
  }
  const { origin, host } = new URL(answer.url);
  const uri = textAt(info, 'uri');
  // A signature for the bare origin covers all its routes.
  const isCovered = uri === origin || isRequestedUrl(uri, answer);
  const lifetimeMs = Date.parse(textAt(info, 'expirationTime')) - Date.parse(textAt(info, 'issuedAt'));
  const realm = answer.headers['www-authenticate'] ?? '';
  return [
    unless(textAt(info, 'domain') === host && isCovered, {
      problem: 'the domain or uri of the sign-in is not the requested origin, so no wallet signs it',
      fix: 'Set GATEWAY_BASE_URL to the origin that clients use',
    }),
    unless(textAt(info, 'version') === '1' && /^[0-9a-f]{32}$/.test(textAt(info, 'nonce')), {
      problem: 'the version is not 1, or the nonce is not 32 lower-case hex digits',
      fix: 'Send 16 random bytes as hex with each challenge',
    }),
    unless(lifetimeMs > 0 && lifetimeMs <= MAX_LIFETIME_MS, {
      problem: 'the challenge does not expire within 300 seconds',
      fix: 'Set expirationTime to 300 seconds after issuedAt',
    }),
    unless(offersNetworks(extension, entry), {
      problem: 'supportedChains is not the two Solana networks of the catalog with type ed25519',
      fix: 'Offer mainnet and devnet, and list them as authNetworks',
    }),
    unless(/^SIWX\b/.test(realm) && realm.includes(`realm="${origin}"`), {
      problem: 'WWW-Authenticate does not name the scheme and the requested origin',
      fix: 'Send WWW-Authenticate: SIWX realm="<origin>" with the 402',
    }),
  ];
}

/** Checks that wallets can sign each challenge, and that no nonce comes twice. */
export function signIn(exploration: Exploration): Fault[] {
  const signed = unpaidAnswers(exploration).flatMap(({ entry, answer }) => {
    const challenge = entry.accessMode === 'siwx' && challengeIn(answer);
    return challenge ? [{ entry, answer, extension: extensionIn(challenge, SIWX_EXTENSION) }] : [];
  });
  const seen = new Set<string>();
  const repeated = signed.flatMap(({ answer, extension }) => {
    const nonce = textAt(extension, 'info', 'nonce');
    const isFresh = nonce === '' || !seen.has(nonce);
    seen.add(nonce);
    const fix = 'Create a nonce for each 402, and let no cache store it';
    return faultsAt(answer, unless(isFresh, { problem: 'another challenge has the same nonce', fix }));
  });
  const faults = signed.flatMap(({ entry, answer, extension }) =>
    faultsAt(answer, signInProblems(extension, entry, answer)),
  );
  return [...faults, ...repeated];
}
