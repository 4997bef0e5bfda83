import { HEADERS, type Route, type Surface } from '@asset-gateway/protocol';
import type { Service } from './service.ts';

/** Titles of our surfaces. */
const SURFACES: Readonly<Record<Surface, string>> = {
  system: 'Liveness and the documents that describe the service. Public.',
  tokens: "Asset data. Free; every request needs a wallet's signature.",
  rpc: 'Solana RPC. Each call is paid in USDC.',
  das: 'Digital assets on Solana. Each call is paid in USDC.',
  wallet: 'Wallet data. Each call is paid in USDC.',
  credit: 'Prepaid credit: one payment buys many answers of paid routes.',
};

/** What a surface is: one of ours, or an API of the operator. */
export const aboutSurface = (surface: string, { titles }: Pick<Service, 'titles'>): string =>
  titles?.get(surface) ?? SURFACES[surface as Surface];

/** The rows by their surface, in the order of the table. */
export function bySurface(routes: readonly Route[]): Map<string, Route[]> {
  const surfaces = new Map<string, Route[]>();
  for (const route of routes) surfaces.set(route.surface, [...(surfaces.get(route.surface) ?? []), route]);
  return surfaces;
}

const HOW: Readonly<Partial<Record<Route['access'], string>>> = {
  siwx:
    `If a 402 asks for a signature, sign its challenge with a Solana wallet and send it in ${HEADERS.signIn}. ` +
    'Signing is free; every request needs its own signature. wrapFetchWithPayment of @x402/fetch signs in by itself when ' +
    'createSIWxClientHook (@x402/extensions 2.4 or later) or createSIWxClientExtension (2.14 or later) is registered; ' +
    'wrapFetchWithSIWx does not.',
  exact:
    `If a 402 asks for a payment, pay a requirement in its accepts and resend the request with ${HEADERS.payment}. ` +
    'After a 503, resend the same payment; you are charged once. wrapFetchWithPayment of @x402/fetch pays by itself ' +
    'when ExactSvmScheme (@x402/svm 2.10 or later, which copies extra.memo) is registered.',
};

const GIVEN: Readonly<Partial<Record<Route['access'], string>>> = { siwx: 'a signature', exact: 'a micropayment' };

/** The price of an answer of these rows: a signature, a micropayment, or either. */
export const givenFor = (routes: readonly Route[]): string =>
  [...new Set(routes.map(({ access }) => access))].flatMap((access) => GIVEN[access] ?? []).join(' or ');

const HOW_CREDIT =
  'Paid routes accept credit: pay the larger requirement of a 402 and the rest becomes credit; the routes of surface ' +
  'credit sell more. Credit then covers later payments without a settlement; or send Prefer: credit, sign the challenge ' +
  `and send it in ${HEADERS.signIn}. The ${HEADERS.credit} header states the balance.`;

/** How to pass the gates of these rows. */
export const howToPass = (routes: readonly Route[]): string[] => [
  ...[...new Set(routes.map(({ access }) => access))].flatMap((access) => HOW[access] ?? []),
  ...(routes.some(({ credit }) => credit === 'accepted') ? [HOW_CREDIT] : []),
];
