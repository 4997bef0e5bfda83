import type { Route } from '@asset-gateway/protocol';
import type { Input } from '../call.ts';
import { KeptItem } from './batches.ts';
import { KeptAnswer } from './kept-answer.ts';
import type { CacheKey } from './known-key.ts';

/** What is asked of the upstream for a key. */
export interface Plan {
  readonly key: CacheKey;
  readonly route: Route;
  /** What a single answer was asked with. */
  readonly input: Input;
  /** The mint, where the row is kept by mint. */
  readonly mint?: string;
}

/** What an upstream has answered for one key, with its text. */
export type KeptText = KeptAnswer | KeptItem;

/** An upstream's answer as it is kept under the key of a plan; `fetchedAtMs` is when its call went out. */
export const keptFor = ({ key, route, mint }: Plan, fetchedAtMs: number, json: string): KeptText =>
  mint === undefined ? new KeptAnswer(key, fetchedAtMs, route, json) : new KeptItem(key, fetchedAtMs, json);
