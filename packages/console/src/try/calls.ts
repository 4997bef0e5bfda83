import type {
  Call,
  FreeClient,
  TokensAssetDetailInput,
  TokensAssetDetailResult,
  TokensProfileResult,
  TokensSearchResult,
  TokensTickersResult,
} from '@asset-gateway/client';
import { ENUMERATIONS } from '@asset-gateway/protocol';

/** A call of a client method, with its arguments for code samples. */
export interface TokensCall<T = unknown> {
  readonly method: string;
  /** The arguments of the method. */
  readonly values: readonly unknown[];
  /** The arguments by name, as tools take them. */
  readonly named: object;
  ask(client: FreeClient): Call<T>;
}

export type Interval = (typeof ENUMERATIONS.interval)[number];

export const INTERVALS = ENUMERATIONS.interval;
export const FIRST_INTERVAL: Interval = '1H';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SECONDS: Readonly<Record<Interval, number>> = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1H': HOUR,
  '4H': 4 * HOUR,
  '1D': DAY,
  '1W': 7 * DAY,
};
/** How many candles to load. */
const CANDLES = 120;
const SEARCH_LIMIT = 20;

export const search = (q: string): TokensCall<TokensSearchResult> => {
  const input = { q, limit: SEARCH_LIMIT };
  return { method: 'search', values: [input], named: input, ask: ({ tokens }) => tokens.search(input) };
};

/** The range of an interval. The default range, a week, suits only hours. Starts at a candle, so that users share cached answers. */
function rangeOf(interval: Interval, nowSeconds: number): Pick<TokensAssetDetailInput, 'ohlcvFrom'> {
  if (interval === FIRST_INTERVAL) return {};
  const length = SECONDS[interval];
  return { ohlcvFrom: (Math.floor(nowSeconds / length) - CANDLES) * length };
}

/** Everything on the card of an asset, in one call of the shared budget. */
export function asset(assetId: string, interval: Interval, nowSeconds: number): TokensCall<TokensAssetDetailResult> {
  const input: TokensAssetDetailInput = {
    include: ['risk', 'ohlcv', 'markets'],
    ohlcvInterval: interval,
    ...rangeOf(interval, nowSeconds),
  };
  return {
    method: 'assetDetail',
    values: [assetId, input],
    named: { assetId, ...input },
    ask: ({ tokens }) => tokens.assetDetail(assetId, input),
  };
}

export const tickers = (assetId: string): TokensCall<TokensTickersResult> => ({
  method: 'tickers',
  values: [assetId],
  named: { assetId },
  ask: (client) => client.tokens.tickers(assetId),
});

export const profile = (assetId: string): TokensCall<TokensProfileResult> => ({
  method: 'profile',
  values: [assetId],
  named: { assetId },
  ask: (client) => client.tokens.profile(assetId),
});

/** An object of an upstream's answer, with members of any type. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = {};

/** The value if it is an object, or an empty object. */
export const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : NONE;

/** The value at a path of names, if any. */
export const below = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((holder, name) => members(holder)[name], value);

/** The objects among the first items of a list; none if it is not a list. */
export const rows = (value: unknown, most: number): readonly Members[] =>
  (Array.isArray(value) ? value.slice(0, most) : []).filter(
    (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
  );

/** The length of a list; 0 if it is not one. */
export const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** A call in another client. */
interface Sample {
  readonly title: string;
  readonly text: string;
  readonly note?: string;
}

const NAME = /^[a-z]\w*$/i;

/** A value as JavaScript source. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${NAME.test(name) ? name : JSON.stringify(name)}: ${literal(each)}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** Quotes a text for a shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call as curl, TypeScript, command line and MCP tool. */
export function samplesOf({ method, values, named }: Omit<TokensCall, 'ask'>, url: string): readonly Sample[] {
  const { origin } = new URL(url);
  const path = url.slice(origin.length);
  return [
    {
      title: 'curl',
      text: `curl -i ${word(url)}`,
      note: 'curl does not sign, so you see the challenge.',
    },
    {
      title: 'TypeScript',
      text: [
        "import { createClient } from '@asset-gateway/client';",
        '',
        `const client = createClient({ baseUrl: '${origin}' });`,
        `console.log(await client.tokens.${method}(${values.map(literal).join(', ')}));`,
      ].join('\n'),
    },
    { title: 'Command line', text: `ASSET_GATEWAY_URL=${origin} npx -y @asset-gateway/cli ${word(path)}` },
    {
      title: 'MCP tool',
      text: JSON.stringify({ name: `tokens_${method}`, arguments: named }, null, 2),
      ...(method === 'profile' && { note: 'Available with --tools=all.' }),
    },
  ];
}
