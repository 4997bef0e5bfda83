import { HEADERS, priceText, type Route, siwxMessageText } from '@asset-gateway/protocol';
import {
  aboutSurface,
  bySurface,
  exampleTarget,
  givenFor,
  howToPass,
  ownPath,
  pricesOf,
  type Service,
  servedRoutes,
} from './service.ts';

function routeLine(route: Route, service: Service, origin: string): string {
  const price = route.access === 'exact' ? ` ${priceText(pricesOf(route, service))}.` : '';
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

/** How to sign without x402's clients. */
const SIGNING = [
  '',
  `Without these clients: fill this text from the challenge's \`info\` and sign its UTF-8, without a final line feed. ` +
    `${HEADERS.signIn} is base64 of the JSON of \`info\` with \`address\`, \`chainId\`, \`type\` (ed25519) and ` +
    "`signature` (base58) added. docs/signing.md of the gateway's source shows an example byte by byte, with curl and openssl.",
  '',
  '```text',
  TEXT_TO_SIGN,
  '```',
];

/** Returns the service as an llms.txt (llmstxt.org): its routes, their prices and how to call them. */
export function llmsText(service: Service, origin: string): string {
  const routes = servedRoutes(service);
  const hasReceipts = service.routes.some(({ method }) => method === 'didDocument');
  const link = (label: string, method: string, note: string) =>
    `- [${label}](${origin}${ownPath(service, method)}): ${note}`;
  const sections = [...bySurface(routes)].flatMap(([surface, rows]) => [
    '',
    `## ${surface}`,
    '',
    aboutSurface(surface, service),
    '',
    ...rows.map((row) => routeLine(row, service, origin)),
  ]);
  const lines = [
    `# ${service.name}`,
    '',
    `> Solana data over HTTP for wallets: ${givenFor(routes)} (x402) instead of an account.`,
    '',
    ...howToPass(routes).map((sentence) => `- ${sentence}`),
    '- The 402 is of x402 version 2: use @x402/fetch or @x402/axios. x402-fetch and x402-axios (version 1) cannot read it.',
    '- Every refusal is JSON with a stable `error` code and a sentence.',
    ...(routes.some(({ access }) => access === 'siwx') ? SIGNING : []),
    '',
    '## Documents',
    '',
    link('OpenAPI 3.1', 'openapi', 'every parameter, example and error.'),
    link('Catalog', 'catalog', 'every route with its price and its schemas.'),
    link('x402', 'wellKnown', 'only the URLs.'),
    ...(hasReceipts ? [link('DID document', 'didDocument', 'the keys that sign payment receipts.')] : []),
    ...sections,
  ];
  return `${lines.join('\n')}\n`;
}
