import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { readConfig, startGateway } from '@asset-gateway/gateway';
import { afterAll, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';

const solana = await startSolanaSandbox({ key: 'key of the sandbox' });
afterAll(() => solana.close());

/** Listens on a free port. */
async function listening(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function freePort(): Promise<number> {
  const { port, close } = await listening(() => undefined);
  await close();
  return port;
}

const answers = (port: number, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    () => true,
    () => false,
  );

it('a start has the order of ARCHITECTURE.md: the metrics, the database, the chain, the port; an absent database refuses nothing', async () => {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const steps: string[] = [];
  const see = async (step: string) => {
    if (!steps.includes('metrics/server.ts') && (await answers(metricsPort, '/metrics')))
      steps.push('metrics/server.ts');
    if (await answers(port, '/healthz')) steps.push('http/server.ts');
    steps.push(step);
  };
  const seen = new Map<string, Promise<void>>();
  /** The start waits in this step until it has been seen. */
  const reach = (step: string): Promise<void> => {
    const seeing = seen.get(step) ?? see(step);
    seen.set(step, seeing);
    return seeing;
  };
  const database = await listening(async (socket) => {
    await reach('stores/sql/postgres.ts');
    socket.destroy();
  });
  const rpc = createHttpServer(async (incoming, outgoing) => {
    await reach('payments/open.ts');
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(solana.mainnet.url, { method: 'POST', headers, body: await text(incoming) });
    outgoing.writeHead(answer.status, headers).end(await answer.text());
  });
  await new Promise<void>((resolve) => rpc.listen(0, '127.0.0.1', resolve));
  const config = readConfig({
    ...solana.variables,
    SOLANA_MAINNET_RPC_URL: `http://127.0.0.1:${(rpc.address() as AddressInfo).port}`,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: makeFolder(),
    DATABASE_URL: `postgres://user:password@127.0.0.1:${database.port}/none`,
  });
  const gateway = await startGateway(config, { graceMs: 0, logTo: { write: () => undefined } });
  await reach('start.ts');
  await gateway.stop();
  await database.close();
  rpc.close();
  rpc.closeAllConnections();
  const [, start = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split(/\*\*A st(?:art|op and a crash)\*\*/);
  const written = Array.from(start.matchAll(/`([\w/-]+\.ts)`/g), ([, file]) => String(file));
  expect(steps).toHaveLength(5);
  expect(written.filter((file) => steps.includes(file))).toEqual(steps.slice(0, 4));
});
