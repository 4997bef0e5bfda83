import type { Route } from '@asset-gateway/protocol';
import { exampleTarget, ownPath, type Service, servedRoutes } from './service.ts';
import { bySurface, givenFor, howToPass, SURFACES } from './surfaces.ts';

function routeLine(route: Route, { priceUsd }: Service, origin: string): string {
  const price = route.access === 'exact' ? ` $${priceUsd(route)}.` : '';
  return `- [${route.httpMethod} ${route.path}](${origin}${exampleTarget(route)}): ${route.description}${price}`;
}

/** The service in the form of llmstxt.org: what is served at an origin, how to call it and what it costs. */
export function llmsText(service: Service, origin: string): string {
  const routes = servedRoutes(service);
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
    '- The official x402 clients do this by themselves. Every refusal is JSON with a stable `error` code and a sentence.',
    '',
    '## Documents',
    '',
    link('OpenAPI 3.1', 'openapi', 'every parameter, example and error.'),
    link('Catalog', 'catalog', 'every route with its price and its schemas.'),
    link('x402', 'wellKnown', 'the URLs alone.'),
    ...sections,
  ];
  return `${lines.join('\n')}\n`;
}
