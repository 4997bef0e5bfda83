import { NETWORKS, PROVIDERS, priceText, type Route } from '@asset-gateway/protocol';
import { plain } from './errors-page.ts';
import { type JsonSchema, published } from './schemas.ts';
import {
  aboutSurface,
  bySurface,
  capital,
  exampleTarget,
  groupBy,
  type Priced,
  pricesOf,
  type Service,
} from './service.ts';

/** A parameter of a route that has no parts. */
interface Leaf {
  /** `limit`, `params[1].filters.slot.gte`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

const ADDRESS = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';
const SIGNATURE = '^[1-9A-HJ-NP-Za-km-z]{64,88}$';

const CLUSTERS = Object.keys(NETWORKS);
const RESOLD = Object.keys(PROVIDERS);

const HEAD = `# Routes

Every route with every feature on. \`npm run docs\` writes this page.

A star marks required parameters. The path names its own; others are in the query of a GET or the body of a POST. The head of a section
explains what its routes share. A path with \`{mainnet,devnet}\` stands for one each. An address is \`${ADDRESS}\`, a signature
\`${SIGNATURE}\`. Other texts contain no control characters, unless a pattern is named.`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);

/** `1–50`, `from 1`, `at most 50`, `2`; empty without bounds. */
function bounds(minimum: unknown, maximum: unknown): string {
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && minimum === maximum) return `${minimum}`;
  if (minimum !== undefined && !isOpen) return `${minimum}–${maximum}`;
  if (minimum !== undefined) return `from ${minimum}`;
  return isOpen ? '' : `at most ${maximum}`;
}

/** Patterns in words, by how they start: those that the head of the page explains, and those that only exclude characters. */
const IN_WORDS: readonly (readonly [start: string, kind: string, exclusion: string])[] = [
  [ADDRESS, 'address', ''],
  [SIGNATURE, 'signature', ''],
  ['^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]{', 'text', ''],
  ['^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff,]{', 'text', 'without commas'],
];

function textRule({ pattern, minLength, maxLength }: JsonSchema): string {
  const known = IN_WORDS.find(([start]) => textOf(pattern).startsWith(start));
  const [, kind, exclusion] = known ?? ['', 'text', pattern && `\`${textOf(pattern)}\``];
  const length = bounds(minLength, maxLength);
  return [kind, length && `of ${length} characters`, exclusion].filter(Boolean).join(' ');
}

/** What a schema allows, in words. */
function ruleOf(schema: JsonSchema): string {
  const { type } = schema;
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (Array.isArray(choices)) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'array') {
    const size = bounds(schema.minItems, schema.maxItems);
    return `list${size && ` of ${size}`}, each ${ruleOf((schema.items as JsonSchema | undefined) ?? {})}`;
  }
  if (type === 'string') return textRule(schema);
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

/** All parameters of a route, nested members of its body included. */
const parametersOf = ({ input }: Route): Leaf[] =>
  (['path', 'query', 'body'] as const).flatMap((place) => {
    const schema = input[place];
    return schema ? leavesOf({ name: '', isRequired: true, schema: published(schema) }) : [];
  });

const shown = ({ name, isRequired }: Leaf): string => `\`${name.replace(/^\./, '')}\`${isRequired ? '\\*' : ''}`;

/** The name of a parameter without its place: `commitment` of `params[1].commitment`. */
const shortName = ({ name }: Leaf): string => name.replace(/^\.(?:params(?:\[\d\])?\.)?/, '');

const rulesOf = ({ rules }: Route): string[] => rules.map(({ description }) => plain(description));

/** What a parameter allows and means. */
const explained = ({ schema }: Leaf): string =>
  [ruleOf(schema), plain(textOf(schema.description))].filter(Boolean).join('. ');

/** What the head of a section says for its methods: explanations by the short names of parameters, and rules. */
interface Shared {
  readonly explanations: ReadonlyMap<string, string>;
  readonly rules: ReadonlySet<string>;
  /** The price of all, if they have one. */
  readonly price: string | undefined;
}

/** What several methods have in common; of a short name the most frequent explanation. */
function sharedBy(methods: readonly Route[], prices: readonly string[]): Shared {
  const leaves = methods.flatMap(parametersOf).filter((leaf) => !shortName(leaf).endsWith(']'));
  const frequent = [...groupBy(leaves, (leaf) => `${shortName(leaf)}: ${explained(leaf)}`).values()]
    .filter(({ length }) => length > 1)
    .sort((a, b) => a.length - b.length);
  const rules = groupBy(methods.flatMap(rulesOf), (rule) => rule);
  return {
    explanations: new Map(frequent.map(([leaf]) => [shortName(leaf), explained(leaf)])),
    rules: new Set([...rules].filter(([, { length }]) => length > 1).map(([rule]) => rule)),
    price: prices.length === 1 ? prices[0] : undefined,
  };
}

function sharedLines({ explanations, rules }: Shared): string[] {
  const names = groupBy([...explanations.keys()], (name) => explanations.get(name) ?? '');
  const lines = [...names].map(([text, same]) => `- ${same.map((name) => `\`${name}\``).join(', ')}: ${text}`);
  return [...lines, ...[...rules].map((rule) => `- ${rule}`)];
}

/** The parameters of a method, those with the same explanation in one line, and its rules. */
function parameterLines(route: Route, { explanations, rules }: Shared): string[] {
  const isShared = (leaf: Leaf) => explanations.get(shortName(leaf)) === explained(leaf);
  const lines = groupBy(parametersOf(route), (leaf) => (isShared(leaf) ? '' : `: ${explained(leaf)}`));
  return [
    ...[...lines].map(([text, leaves]) => `- ${leaves.map(shown).join(', ')}${text}`),
    ...rulesOf(route)
      .filter((rule) => !rules.has(rule))
      .map((rule) => `- ${rule}`),
  ];
}

/** The body of a POST, or a GET with a query. */
function exampleOf(route: Route): string[] {
  const { httpMethod, example } = route;
  if (httpMethod === 'POST') return ['', '```json', JSON.stringify(example.body), '```'];
  const target = exampleTarget(route);
  return target.includes('?') ? ['', '```http', `${httpMethod} ${target}`, '```'] : [];
}

/** Paths that differ in one of these segments alone as one, such as `/solana/{mainnet,devnet}/rpc`. */
function folded(paths: readonly string[], segments: readonly string[]): string[] {
  const alike = groupBy(paths, (path) => segments.reduce((text, each) => text.replace(`/${each}/`, '/*/'), path));
  return [...alike].map(([pattern, same]) => {
    const found = segments.filter((each) => same.some((path) => path.includes(`/${each}/`)));
    return found.length < 2 ? same[0] : pattern.replace('*', `{${found.join(',')}}`);
  });
}

const endpointsOf = ([route, ...others]: readonly [Route, ...Route[]]): string =>
  folded(
    folded(
      [route, ...others].map(({ path }) => path),
      CLUSTERS,
    ),
    RESOLD,
  )
    .map((path) => `\`${route.httpMethod} ${path}\``)
    .join(', ');

const FREE = '0.00';
const priceOf = (route: Route, service: Priced): string =>
  service.priceUsd(route) === FREE ? 'free' : priceText(pricesOf(route, service));

const dollarsOf = (rows: readonly Route[], { priceUsd }: Priced): string[] => [
  ...new Set(rows.map((row) => `$${priceUsd(row)}`)),
];

/** The section of one method: its price, routes, parameters, rules and example. */
function methodSection(rows: readonly [Route, ...Route[]], service: Service, shared: Shared): string[] {
  const [route] = rows;
  const prices = groupBy(rows, (row) => priceOf(row, service));
  const hasOnePrice = prices.size === 1;
  const title = hasOnePrice ? priceOf(route, service) : dollarsOf(rows, service).join(' or ');
  const stated = title === shared.price ? '' : `**${capital(title)}.** `;
  const endpoints = [...prices].map(([price, same]) => `- ${endpointsOf(same)}${hasOnePrice ? '' : `: ${price}`}`);
  return [
    '',
    `### ${route.method}`,
    '',
    `${stated}${plain(route.description)}`,
    '',
    ...endpoints,
    ...parameterLines(route, shared),
    ...exampleOf(route),
  ];
}

function surfaceSection(surface: string, rows: readonly Route[], service: Service): string[] {
  // The rows of a method, for several providers and clusters, have the same parameters.
  const methods = [...groupBy(rows, ({ method }) => method).values()];
  const shared = sharedBy(
    methods.map(([route]) => route),
    [...new Set(rows.map((row) => priceOf(row, service)))],
  );
  const { price } = shared;
  const lines = sharedLines(shared);
  return [
    '',
    `## ${surface}`,
    '',
    `${aboutSurface(surface, service)}${price === undefined || price === 'free' ? '' : ` **${capital(price)}.**`}`,
    ...(lines.length > 0 ? ['', ...lines] : []),
    ...methods.flatMap((ofMethod) => methodSection(ofMethod, service, shared)),
  ];
}

/** The page of all routes by surface, with prices and parameters. */
export function routesPage(service: Service): string {
  const sections = [...bySurface(service.routes)].flatMap(([surface, rows]) => surfaceSection(surface, rows, service));
  return `${[HEAD, ...sections].join('\n')}\n`;
}
