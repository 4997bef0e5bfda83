import { HEADERS, type Route, type Surface } from '@asset-gateway/protocol';

/** What a family of routes is, in a sentence. */
export const SURFACES: Readonly<Record<Surface, string>> = {
  system: 'Liveness and the documents that describe the service, open to everybody.',
  tokens: "Asset data, free for a wallet's signature on each request.",
  rpc: 'Solana RPC, each call for a payment in USDC.',
  das: 'Digital assets on Solana, each call for a payment in USDC.',
  wallet: 'Wallet data, each call for a payment in USDC.',
  credit: 'What a wallet has paid ahead: one payment buys many answers of paid routes.',
};

/** The rows by their surface, in the order of the table. */
export function bySurface(routes: readonly Route[]): Map<Surface, Route[]> {
  const surfaces = new Map<Surface, Route[]>();
  for (const route of routes) surfaces.set(route.surface, [...(surfaces.get(route.surface) ?? []), route]);
  return surfaces;
}

const HOW: Readonly<Partial<Record<Route['access'], string>>> = {
  siwx:
    `Where a 402 asks for a signature, sign its challenge with a Solana wallet and send it in ${HEADERS.signIn}. ` +
    'It is free, and every request needs one. wrapFetchWithPayment of @x402/fetch signs in by itself when ' +
    'createSIWxClientHook (@x402/extensions 2.4 or later) or createSIWxClientExtension (2.14 or later) is registered; ' +
    'wrapFetchWithSIWx does not.',
  exact:
    `Where a 402 asks for a payment, pay by its requirement and send the same request with ${HEADERS.payment}. ` +
    'It is charged once: after a 503 send the same payment again. wrapFetchWithPayment of @x402/fetch pays by itself ' +
    'when ExactSvmScheme (@x402/svm 2.10 or later, which copies extra.memo) is registered.',
};

const GIVEN: Readonly<Partial<Record<Route['access'], string>>> = { siwx: 'a signature', exact: 'a micropayment' };

/** What a caller of these rows gives for an answer: a signature, a micropayment, or one of the two. */
export const givenFor = (routes: readonly Route[]): string =>
  [...new Set(routes.map(({ access }) => access))].flatMap((access) => GIVEN[access] ?? []).join(' or ');

const HOW_CREDIT =
  'Paid routes take credit: whoever pays the larger requirement of a 402 has the rest as credit, and the ' +
  'routes of surface credit sell more of it. From then on the same 402s are paid from it without a settlement; or ask with ' +
  `Prefer: credit, sign the challenge and send it in ${HEADERS.signIn}. The ${HEADERS.credit} header says what is left.`;

/** How the gates of these rows are passed, a sentence or two for each of them. */
export const howToPass = (routes: readonly Route[]): string[] => [
  ...[...new Set(routes.map(({ access }) => access))].flatMap((access) => HOW[access] ?? []),
  ...(routes.some(({ credit }) => credit === 'accepted') ? [HOW_CREDIT] : []),
];
