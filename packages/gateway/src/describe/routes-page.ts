import {
  ADDRESS_PATTERN,
  DEFAULT_PRICING,
  dollars,
  NETWORKS,
  PROVIDERS,
  type Route,
  SIGNATURE_PATTERN,
} from '@asset-gateway/protocol';
import { escaped } from './errors-page.ts';
import { explained, type Leaf, namesOf, parametersOf, shortName, shown } from './parameter-words.ts';
import { aboutSurface, bySurface, groupBy, type Service } from './service.ts';

const CLUSTERS = Object.keys(NETWORKS);
const RESOLD = Object.keys(PROVIDERS);

const HEAD = `# Routes

\`npm run docs\` writes this page: every route but those of [credit](credit.md), with every feature on.

A star marks required parameters. Those outside the path are in a GET's query or a POST's body. The head of a section has what its routes share:
parameters, rules, and the price, unless a line names another; from credit a call costs $${dollars(DEFAULT_PRICING.settlementFeeMicros)} less. Braces such as \`{mainnet,devnet}\` stand for one of
each. An address is \`${ADDRESS_PATTERN.source}\`, a signature \`${SIGNATURE_PATTERN.source}\`. A text has 1–200 characters and no
control characters, unless its line says otherwise. Commas separate the items of a list in a query. The catalog has examples.`;

/** Rules that are not listed, because the explanations of their parameters say the same. */
const TOLD = ['notBefore', 'wallet'];

const rulesOf = ({ rules }: Route): string[] =>
  rules.filter(({ name }) => !TOLD.includes(name)).map(({ description }) => escaped(description));

/** What the head of a section says for all its methods: explanations, by the short name of a parameter, and rules. */
interface Shared {
  readonly explanations: ReadonlyMap<string, string>;
  readonly rules: ReadonlySet<string>;
  /** The most frequent price. */
  readonly price: string | undefined;
}

/** Returns what several methods share: for each short name, the most frequent explanation. */
function sharedBy(methods: readonly Route[], prices: readonly string[]): Shared {
  const leaves = methods.flatMap(parametersOf).filter((leaf) => !shortName(leaf).endsWith(']'));
  const frequent = [...groupBy(leaves, (leaf) => `${shortName(leaf)}: ${explained(leaf)}`).values()]
    .filter(({ length }) => length > 1)
    .sort((a, b) => a.length - b.length);
  const rules = groupBy(methods.flatMap(rulesOf), (rule) => rule);
  return {
    explanations: new Map(frequent.map(([leaf]) => [shortName(leaf), explained(leaf)])),
    rules: new Set([...rules].filter(([, { length }]) => length > 1).map(([rule]) => rule)),
    price: [...groupBy(prices, (price) => price).values()].sort((a, b) => b.length - a.length)[0]?.[0],
  };
}

function sharedLines({ explanations, rules }: Shared): string[] {
  const names = groupBy([...explanations.keys()], (name) => explanations.get(name) ?? '');
  const lines = [...names].map(([text, same]) => `- ${namesOf(same, '').join(', ')}: ${text}`);
  return [...lines, ...[...rules].map((rule) => `- ${rule}`)];
}

/** Returns a method's parameters and rules. Parameters with the same explanation share a line. */
function parameterLines(route: Route, { explanations, rules }: Shared): string[] {
  const isShared = (leaf: Leaf) => explanations.get(shortName(leaf)) === explained(leaf);
  const lines = groupBy(parametersOf(route), (leaf) => (isShared(leaf) ? '' : `: ${explained(leaf)}`));
  return [
    ...[...lines].map(([text, leaves]) => `- ${shown(leaves)}${text}`),
    ...rulesOf(route)
      .filter((rule) => !rules.has(rule))
      .map((rule) => `- ${rule}`),
  ];
}

/** Returns the body of a POST. */
const exampleBodyLines = ({ httpMethod, example }: Route): string[] =>
  httpMethod === 'POST' ? ['', '```json', JSON.stringify(example.body), '```'] : [];

/** Returns paths in short form. Paths that differ only in one of these segments are joined, such as `/solana/{mainnet,devnet}/rpc`. */
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
const priceOf = (route: Route, { priceUsd }: Service): string =>
  priceUsd(route) === FREE ? 'free' : `$${priceUsd(route)}`;

/** Returns the prices of a method's rows, each once. */
const distinctPrices = (rows: readonly Route[], service: Service): string[] => [
  ...new Set(rows.map((row) => priceOf(row, service))),
];

/** Returns the section of one method: its routes with unusual prices, parameters, rules and example. */
function methodSection(rows: readonly [Route, ...Route[]], service: Service, shared: Shared): string[] {
  const [route] = rows;
  const prices = groupBy(rows, (row) => priceOf(row, service));
  const endpoints = [...prices].map(
    ([price, same]) => `- ${endpointsOf(same)}${price === shared.price ? '' : `: ${price}`}`,
  );
  return [
    '',
    `### ${route.method}`,
    '',
    escaped(route.description),
    '',
    ...endpoints,
    ...parameterLines(route, shared),
    ...exampleBodyLines(route),
  ];
}

function surfaceSection(surface: string, rows: readonly Route[], service: Service): string[] {
  // A method's rows for several providers and clusters have the same parameters.
  const methods = [...groupBy(rows, ({ method }) => method).values()];
  const prices = methods.flatMap((ofMethod) => distinctPrices(ofMethod, service));
  const shared = sharedBy(
    methods.map(([route]) => route),
    prices,
  );
  const { price } = shared;
  const lines = sharedLines(shared);
  return [
    '',
    `## ${surface}`,
    '',
    `${aboutSurface(surface, service)}${price === undefined || price === 'free' ? '' : ` **${price}**.`}`,
    ...(lines.length > 0 ? ['', ...lines] : []),
    ...methods.flatMap((ofMethod) => methodSection(ofMethod, service, shared)),
  ];
}

/** Returns the page of all routes, grouped by surface, with prices and parameters. */
export function routesPage(service: Service): string {
  const sections = [...bySurface(service.routes)].flatMap(([surface, rows]) => surfaceSection(surface, rows, service));
  return `${[HEAD, ...sections].join('\n')}\n`;
}
