import {
  DEFAULT_PRICING,
  dollars,
  everyRoute,
  listMicros,
  priceMicros,
  priceText,
  type Route,
  routes,
} from '@asset-gateway/protocol';
import { alertsPage } from './alerts-page.ts';
import { clientMethods } from './client-methods.ts';
import { errorsPage, plain } from './errors-page.ts';
import { openApi } from './openapi.ts';
import { type JsonSchema, published } from './schemas.ts';
import { aboutSurface, bySurface, capital, exampleTarget, type Priced, pricesOf, type Service } from './service.ts';

/** A parameter of a route that has no parts. */
interface Leaf {
  /** `limit`, `params[1].filters.slot.gte`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);

/** `1 to 50`, `at least 1`, `at most 50`; empty without bounds. */
function bounds(minimum: unknown, maximum: unknown): string {
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && !isOpen) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  return isOpen ? '' : `at most ${maximum}`;
}

/** Patterns of texts that only exclude characters, in words. */
const EXCLUDED: readonly (readonly [start: string, words: string])[] = [
  ['^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]{', 'without control characters'],
  ['^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff,]{', 'without commas and control characters'],
];

const patternOf = (pattern: string): string =>
  EXCLUDED.find(([start]) => pattern.startsWith(start))?.[1] ?? `\`${pattern}\``;

/** What a schema allows, in words. */
function ruleOf(schema: JsonSchema): string {
  const { type, pattern } = schema;
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (Array.isArray(choices)) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'array') {
    const size = bounds(schema.minItems, schema.maxItems);
    return `list${size && ` of ${size}`}, each ${ruleOf((schema.items as JsonSchema | undefined) ?? {})}`;
  }
  if (type === 'string') {
    const length = bounds(schema.minLength, schema.maxLength);
    return ['text', length && `of ${length} characters`, pattern && patternOf(textOf(pattern))]
      .filter(Boolean)
      .join(' ');
  }
  return [textOf(type) || 'any JSON', bounds(schema.minimum, schema.maximum)].filter(Boolean).join(' ');
}

/** The nested schemas: members of an object, positions of a tuple, items of a list. */
function partsOf(schema: JsonSchema): { suffix: string; schema: JsonSchema; isRequired: boolean }[] {
  const { properties, required = [], prefixItems, items, minItems, anyOf } = schema;
  if (properties) {
    return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, member]) => {
      return { suffix: `.${name}`, schema: member, isRequired: (required as readonly string[]).includes(name) };
    });
  }
  if (prefixItems) {
    return schemasIn(prefixItems).map((member, index) => {
      return { suffix: `[${index}]`, schema: member, isRequired: index < Number(minItems ?? 0) };
    });
  }
  if (anyOf) return schemasIn(anyOf).map((member) => ({ suffix: '', schema: member, isRequired: false }));
  const item = items as JsonSchema | undefined;
  return item && partsOf(item).length > 0 ? [{ suffix: '[]', schema: item, isRequired: true }] : [];
}

function leavesOf(leaf: Leaf): Leaf[] {
  const parts = partsOf(leaf.schema).flatMap(({ suffix, schema, isRequired }) =>
    leavesOf({ name: `${leaf.name}${suffix}`, isRequired: leaf.isRequired && isRequired, schema }),
  );
  return parts.length === 0 ? [leaf] : parts;
}

/** A list of all parameters of a route in words, including nested members of its body, and of its rules. */
function parameterLines({ input, rules }: Route): string[] {
  const leaves = (['path', 'query', 'body'] as const).flatMap((place) => {
    const schema = input[place];
    return schema ? leavesOf({ name: '', isRequired: true, schema: published(schema) }) : [];
  });
  const lines = leaves.map(({ name, isRequired, schema }) => {
    const meaning = plain(textOf(schema.description));
    return `- \`${name.replace(/^\./, '')}\`${isRequired ? '\\*' : ''}: ${[ruleOf(schema), meaning].filter(Boolean).join('. ')}`;
  });
  const all = [...lines, ...rules.map(({ description }) => `- ${plain(description)}`)];
  return all.length === 0 ? [] : ['', 'Parameters:', '', ...all];
}

function exampleRequest(route: Route): string[] {
  const { httpMethod, example } = route;
  const body = httpMethod === 'POST' ? ['', JSON.stringify(example.body)] : [];
  return ['', '```http', `${httpMethod} ${exampleTarget(route)}`, ...body, '```'];
}

const FREE = '0.00';
const priceOf = (route: Route, service: Priced): string =>
  service.priceUsd(route) === FREE ? 'free' : priceText(pricesOf(route, service));

/** The section of one method: its price, routes, parameters, rules and example. */
function methodSection(rows: readonly [Route, ...Route[]], service: Priced): string[] {
  const [route] = rows;
  const prices = [...new Set(rows.map((row) => priceOf(row, service)))];
  return [
    '',
    `### ${route.method}`,
    '',
    `**${capital(prices.join('; '))}.** ${plain(route.description)}`,
    '',
    ...rows.map((row) => {
      const price = prices.length > 1 ? `: ${priceOf(row, service)}` : '';
      return `- \`${row.httpMethod} ${row.path}\`${price}`;
    }),
    ...parameterLines(route),
    ...exampleRequest(route),
  ];
}

/** The rows by their method: those for several providers and clusters have the same parameters. */
function byMethod(routes: readonly Route[]): [Route, ...Route[]][] {
  const methods = new Map<string, [Route, ...Route[]]>();
  for (const route of routes) {
    const known = methods.get(route.method);
    if (known) known.push(route);
    else methods.set(route.method, [route]);
  }
  return [...methods.values()];
}

/** The page of all routes by surface, with prices and parameters. */
export function routesPage(service: Service): string {
  const sections = [...bySurface(service.routes)].flatMap(([surface, rows]) => [
    '',
    `## ${surface}`,
    '',
    aboutSurface(surface, service),
    ...byMethod(rows).flatMap((ofMethod) => methodSection(ofMethod, service)),
  ]);
  const head = [
    '# Routes',
    '',
    'Every route with its price, its parameters and an example, with every feature on. `npm run docs` writes this page.',
    '',
    'A parameter is in the path if the path names it, else in the query of a GET or the body of a POST. A star marks those that are required.',
  ];
  return `${[...head, ...sections].join('\n')}\n`;
}

/** The service at default settings. */
const USUAL: Service = {
  name: 'asset-gateway',
  routes,
  priceUsd: (route) => dollars(priceMicros(route, DEFAULT_PRICING)),
};

/** The same with credit on. */
const EVERYTHING: Service = {
  ...USUAL,
  creditPriceUsd: (route) => dollars(listMicros(route, DEFAULT_PRICING)),
};
const ORIGIN = 'http://localhost:8402';

/** The gateway's own rows for the console's list, in the catalog's format; the catalog omits them. */
function systemRows(): string {
  const own = routes.filter(({ surface }) => surface === 'system');
  const rows = own.map(({ method, httpMethod, path, description, input: { query }, example }) =>
    JSON.stringify({
      method,
      httpMethod,
      path,
      description,
      inputSchema: query ? published(query) : {},
      inputExample: example.query,
    }),
  );
  return `// Written by the build from the route table. Do not edit.\nexport const SYSTEM_ROWS = [\n${rows.map((row) => `  ${row},\n`).join('')}];\n`;
}

/** The OpenAPI document of a gateway with every route, at usual settings. Each release has it as `openapi.json`. */
export const usualOpenApi = (): string => `${JSON.stringify(openApi(USUAL, ORIGIN), null, 2)}\n`;

/** The generated documents of the repository, by path. */
export const writtenPages = (): Readonly<Record<string, string>> => ({
  'docs/routes.md': routesPage(EVERYTHING),
  'docs/errors.md': errorsPage(),
  'docs/operating/alerts.md': alertsPage(),
});

/** The sources that the build writes before it compiles, by path. */
export const writtenSources = (): Readonly<Record<string, string>> => ({
  'packages/client/src/methods.ts': clientMethods(everyRoute, EVERYTHING),
  'packages/console/src/routes/system-rows.ts': systemRows(),
});
