import type { Route } from '@asset-gateway/protocol';
import { parametersOf } from './parameters.ts';
import { exampleTarget, type Service } from './service.ts';
import { bySurface, SURFACES } from './surfaces.ts';

/** Text that Markdown leaves as it is. */
const plain = (text: string): string => text.replaceAll('<', '&lt;');

const cell = (text: string): string => text.replaceAll('|', '\\|');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
  return ['', ...lines];
}

function exampleRequest(route: Route): string[] {
  const { httpMethod, example } = route;
  const body = httpMethod === 'POST' ? ['', JSON.stringify(example.body)] : [];
  return ['', '```http', `${httpMethod} ${exampleTarget(route)}`, ...body, '```'];
}

/** What the rows of one method take. */
function methodSection(route: Route): string[] {
  const parameters = parametersOf(route).map(({ name, in: place, isRequired, rule, description }) => {
    return [`\`${name}\``, place, isRequired ? 'yes' : '', rule, plain(description)];
  });
  return [
    '',
    `### ${route.method}`,
    '',
    plain(route.description),
    ...table(['parameter', 'in', 'required', 'allowed', 'meaning'], parameters),
    ...(route.rules.length > 0 ? [''] : []),
    ...route.rules.map(({ description }) => `- ${plain(description)}`),
    ...exampleRequest(route),
  ];
}

const oncePerMethod = (routes: readonly Route[]): Route[] =>
  [...new Map(routes.toReversed().map((route) => [route.method, route])).values()].toReversed();

/** The page about all routes, by surface: where they are, what they cost and what they take. */
export function routesPage({ routes, priceUsd }: Service): string {
  const sections = [...bySurface(routes)].flatMap(([surface, rows]) => [
    '',
    `## ${surface}`,
    '',
    SURFACES[surface],
    ...table(
      ['route', 'price', 'answers'],
      rows.map((row) => [`\`${row.httpMethod} ${row.path}\``, `$${priceUsd(row)}`, plain(row.description)]),
    ),
    ...oncePerMethod(rows).flatMap(methodSection),
  ]);
  const head = ['# Routes', '', 'Written from the route table by `npm run docs`, with everything switched on.'];
  return `${[...head, ...sections].join('\n')}\n`;
}
