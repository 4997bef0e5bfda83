import { type Environment, readConfig } from '@asset-gateway/gateway';
import type { Store } from '../../packages/gateway/src/budget/store.ts';
import { compose } from '../../packages/gateway/src/compose/compose.ts';
import type { LogLine } from '../../packages/gateway/src/stages/trail.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { openLocalStore } from '../kit/local-store.ts';
import { CANARY_KEY, CANARY_SECRET, startUpstream } from '../kit/test-gateway.ts';
import { type Asker, newAsker } from './craft.ts';

export const PORT = 8402;

interface DirectOptions {
  readonly variables?: Environment;
  /** Wraps the store. */
  readonly around?: (store: Store) => Store;
  readonly onFailure?: (error: unknown) => void;
}

interface Ready {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const toResponse = ({ status, headers, body }: Ready) =>
  new Response(body === '' ? null : String(body), { status, headers });

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Opens a gateway in process, with a clock that the test sets. It closes after the tests of the file. */
export async function openDirect({
  variables = {},
  around = (store) => store,
  onFailure = () => undefined,
}: DirectOptions = {}) {
  const upstream = await startUpstream();
  const limit = { TOKENS_RATE_LIMIT_PER_MINUTE: '100000', ...variables };
  const config = readConfig({ TOKENS_API_BASE_URL: upstream.url, TOKENS_API_KEY: CANARY_KEY, ...limit });
  const lines: LogLine[] = [];
  let now = Date.UTC(2026, 10, 20, 12);
  let aheadMs = 0;
  const opened = await openLocalStore(() => now, { wallNow: () => now + aheadMs });
  const store = around(opened.store);
  const log = (line: LogLine) => void lines.push(line);
  const parts = { store, secrets: [CANARY_SECRET], log, onFailure, windowMs: 3_600_000 };
  const { gateway, close } = await compose(config, parts);
  const fixed = { hosts: [`127.0.0.1:${PORT}`], port: PORT, client: '127.0.0.1' };
  const ask: Asker['ask'] = async (target, headers = {}, { method = 'GET', body = '' } = {}) => {
    const inbound = { ...fixed, method, target, headers: lowerCase(headers), body: Buffer.from(body) };
    return toResponse(await gateway(inbound));
  };
  return Object.assign(newAsker({ origin: `http://127.0.0.1:${PORT}`, upstream, ask }), {
    upstream,
    lines: lines as readonly LogLine[],
    /** Moves the store's clock and the time of day. */
    step(seconds: number) {
      now += seconds * 1000;
    },
    /** Moves the time of day only. */
    setRight(seconds: number) {
      aheadMs += seconds * 1000;
    },
    /** The time of day plus these seconds. */
    fromNow: (seconds: number) => new Date(now + aheadMs + seconds * 1000).toISOString(),
    close: endsAfterTests(() => close().then(opened.close)),
  });
}
