import type { RefusedKeys } from '../../packages/gateway/src/compose/dependencies.ts';
import type { Arrival, TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { CANARY_KEY, startTestGateway, type TestGateway } from '../kit/test-gateway.ts';

export const FIRST = CANARY_KEY;
export const SECOND = 'CANARY_9876543210_another_key';
export const BOTH = ` ${FIRST} , ${SECOND} `;

/** A gateway with two keys, and the clock of refused keys. */
export interface KeyedGateway extends TestGateway {
  readonly clock: { nowMs: number };
}

export async function startKeyedGateway(variables = {}, refusedKeys: RefusedKeys = {}): Promise<KeyedGateway> {
  const clock = { nowMs: 1_000_000 };
  const gateway = await startTestGateway(
    { TOKENS_API_KEY: BOTH, METRICS_PORT: '0', ...variables },
    { windowMs: 3_600_000, refusedKeys: { now: () => clock.nowMs, ...refusedKeys } },
  );
  gateway.upstream.keys.add(SECOND);
  return { ...gateway, clock };
}

/** Whether a request has this key. */
export const isWith =
  (key: string) =>
  ({ headers }: Arrival): boolean =>
    headers['x-api-key'] === key;

/** Requests by key. */
export const countsOf = ({ arrivals }: TokensApi, ...keys: readonly string[]): number[] =>
  keys.map((key) => arrivals.filter(isWith(key)).length);

/** Log messages other than requests. */
export const noticesIn = (logLines: readonly string[]): string[] =>
  logLines.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((message) => message !== 'request');
