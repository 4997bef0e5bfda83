import type {
  Call,
  FreeClient,
  TokensAssetDetailInput,
  TokensAssetDetailResult,
  TokensCuratedInput,
  TokensCuratedResult,
  TokensProfileResult,
  TokensSearchResult,
  TokensTickersResult,
} from '@asset-gateway/client';
import { type ChartView, startOf } from './ranges.ts';

/** A call of a client method, with its arguments for code samples. */
export interface TokensCall<T = unknown> {
  readonly method: string;
  /** The arguments of the method. */
  readonly values: readonly unknown[];
  /** The arguments by name, as tools take them. */
  readonly named: object;
  ask(client: FreeClient): Call<T>;
}

const SEARCH_LIMIT = 20;

export const search = (q: string): TokensCall<TokensSearchResult> => {
  const input = { q, limit: SEARCH_LIMIT };
  return { method: 'search', values: [input], named: input, ask: ({ tokens }) => tokens.search(input) };
};

/** Everything on the card of an asset, in one call of the shared budget. */
export function asset(assetId: string, view: ChartView, nowSeconds: number): TokensCall<TokensAssetDetailResult> {
  const ohlcvFrom = startOf(view, nowSeconds);
  const input: TokensAssetDetailInput = {
    include: ['risk', 'ohlcv', 'markets'],
    ohlcvInterval: view.interval,
    ...(ohlcvFrom !== undefined && { ohlcvFrom }),
  };
  return {
    method: 'assetDetail',
    values: [assetId, input],
    named: { assetId, ...input },
    ask: ({ tokens }) => tokens.assetDetail(assetId, input),
  };
}

/** A curated list. */
export type List = TokensCuratedInput['list'];

export const curated = (list: List): TokensCall<TokensCuratedResult> => ({
  method: 'curated',
  values: [{ list }],
  named: { list },
  ask: ({ tokens }) => tokens.curated({ list }),
});

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
