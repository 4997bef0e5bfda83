import { beforeAll, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/process.ts';
import { isFull } from '../kit/rounds.ts';
import { startStrangeGateway } from '../kit/strange-gateway.ts';
import { CANARY_KEY } from '../kit/test-gateway.ts';
import { memoryMib } from '../kit/usage.ts';
import { askSigned } from '../kit/wallet.ts';

const MIB = 1024 * 1024;
/** With ROUNDS=full the default size. */
const [BOUND_MIB, ANSWERS] = isFull ? [256, 120] : [40, 20];
/** The largest accepted answer. */
const ANSWER = JSON.stringify({ results: 'x'.repeat(5 * MIB - 14) });
const AT_ONCE = 2;

const upstream = await startStrangeGateway();
upstream.answer((_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(ANSWER));
let metricsUrl: string;
let gateway: GatewayProcess;
beforeAll(async () => {
  const [port, metricsPort] = [String(await freePort()), String(await freePort())];
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  gateway = await startGatewayProcess({
    PORT: port,
    METRICS_PORT: metricsPort,
    DATA_DIR: makeFolder(),
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    TOKENS_RATE_LIMIT_PER_MINUTE: '1000',
    RESPONSE_CACHE: 'on',
    ...(!isFull && { CACHE_MAX_MIB: String(BOUND_MIB) }),
  });
}, 120_000);

const residentMib = () => memoryMib(gateway.child.pid);

/** Size of the cache by its metric, in MiB. */
async function countedMib(): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^asset_gateway_cache_bytes (\S+)$/m.exec(text)?.[1]) / MIB;
}

const ask = async (index: number): Promise<string> => {
  const response = await askSigned(`${gateway.url}/v1/x402/tokens/assets/search?q=large-${index}`);
  expect([response.status, (await response.arrayBuffer()).byteLength > 5 * MIB]).toEqual([200, true]);
  return response.headers.get('cache-status') ?? '';
};

it(`${ANSWERS} answers of 5 MiB take no more than ${BOUND_MIB} MiB, and the last ones are hits`, async () => {
  const idleMib = residentMib();
  let [mostCounted, mostResident, next] = [0, 0, 0];
  const worker = async () => {
    while (next < ANSWERS) {
      await ask(next++);
      mostCounted = Math.max(mostCounted, await countedMib());
      mostResident = Math.max(mostResident, residentMib());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const told = [idleMib, mostCounted, mostResident].map((mib) => mib.toFixed(0));
  process.stdout.write(`idle ${told[0]} MiB, at most ${told[1]} MiB counted and ${told[2]} MiB resident\n`);
  expect(upstream.arrivals).toHaveLength(ANSWERS);
  expect(mostCounted).toBeLessThanOrEqual(BOUND_MIB);
  expect(mostCounted).toBeGreaterThan(BOUND_MIB - 10);
  // Answers that come in and go out, and what has not been collected yet.
  expect(mostResident).toBeLessThan(idleMib + BOUND_MIB + 250);
  expect(await ask(ANSWERS - 1)).toMatch(/; hit;/);
  expect(upstream.arrivals).toHaveLength(ANSWERS);
}, 300_000);
