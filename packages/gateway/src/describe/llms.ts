import { HEADERS, type Route, siwxMessageText } from '@asset-gateway/protocol';
import { exampleTarget, ownPath, type Service, servedRoutes } from './service.ts';
import { bySurface, givenFor, howToPass, SURFACES } from './surfaces.ts';

function routeLine(route: Route, { priceUsd }: Service, origin: string): string {
  const price = route.access === 'exact' ? ` $${priceUsd(route)}.` : '';
  return `- [${route.httpMethod} ${route.path}](${origin}${exampleTarget(route)}): ${route.description}${price}`;
}

const TEXT_TO_SIGN = siwxMessageText({
  domain: '<domain>',
  address: '<address of the wallet>',
  statement: '<statement>',
  uri: '<uri>',
  version: '<version>',
  chainId: 'solana:<chainId without its namespace>',
  nonce: '<nonce>',
  issuedAt: '<issuedAt>',
  expirationTime: '<expirationTime>',
});

/** For whoever signs without x402's clients. */
const SIGNING = [
  '',
  `Without these clients: sign the UTF-8 of this text, made from the challenge's \`info\`, with no line feed at its end. ` +
    `${HEADERS.signIn} is base64 of the JSON of \`info\` with \`address\`, \`chainId\`, \`type\` (ed25519) and ` +
    "`signature` (base58) added. docs/signing.md of the gateway's source has an example with its bytes, and does it with " +
    'curl and openssl.',
  '',
  '```text',
  TEXT_TO_SIGN,
  '```',
];

/** The service in the form of llmstxt.org: what is served at an origin, how to call it and what it costs. */
export function llmsText(service: Service, origin: string): string {
  const routes = servedRoutes(service);
  const hasReceipts = service.routes.some(({ method }) => method === 'didDocument');
  const link = (label: string, method: string, note: string) =>
    `- [${label}](${origin}${ownPath(service, method)}): ${note}`;
  const sections = [...bySurface(routes)].flatMap(([surface, rows]) => [
    '',
    `## ${surface}`,
    '',
    SURFACES[surface],
    '',
    ...rows.map((row) => routeLine(row, service, origin)),
  ]);
  const lines = [
    `# ${service.name}`,
    '',
    `> Solana data over HTTP for whoever has a wallet: ${givenFor(routes)} (x402) instead of an account.`,
    '',
    ...howToPass(routes).map((sentence) => `- ${sentence}`),
    '- Only x402 version 2 is spoken: use @x402/fetch or @x402/axios. x402-fetch and x402-axios are of version 1 and fail.',
    '- Every refusal is JSON with a stable `error` code and a sentence.',
    ...(routes.some(({ access }) => access === 'siwx') ? SIGNING : []),
    '',
    '## Documents',
    '',
    link('OpenAPI 3.1', 'openapi', 'every parameter, example and error.'),
    link('Catalog', 'catalog', 'every route with its price and its schemas.'),
    link('x402', 'wellKnown', 'the URLs alone.'),
    ...(hasReceipts
      ? [link('DID document', 'didDocument', 'the keys that receipts of payments are signed with.')]
      : []),
    ...sections,
  ];
  return `${lines.join('\n')}\n`;
}
