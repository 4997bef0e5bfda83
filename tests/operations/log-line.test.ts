import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newBuyer, newPath, ROOMY } from '../payments/fault-buyer.ts';

/** Some RPC providers put a key into the URL. */
const RPC_KEY = 'CANARY_0123456789_rpc_key';

const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
const urls = { SOLANA_MAINNET_RPC_URL: `${solana.mainnet.url}/${RPC_KEY}` };
const gateway = await startSellingGateway({ ...ROOMY, ...urls }, { solana: solana });
afterAll(async () => {
  await gateway.stop();
  await solana.close();
});

interface Line {
  readonly path?: string;
  readonly wallet?: string;
  readonly status?: number;
  readonly error?: string;
  readonly reason?: string;
}

/** The lines of the requests to this path, the oldest first. */
const linesOf = (path: string): Line[] =>
  gateway.logLines.map((line) => JSON.parse(line) as Line).filter((line) => line.path === path);

it('the line of a purchase and of its repeat names the payer', async () => {
  const buyer = await newBuyer(solana.mainnet);
  const path = newPath();
  const payment = await buyer.pay(gateway.url + path);
  for (let time = 0; time < 2; time++) expect((await ask(gateway.url + path, payment)).status).toBe(200);
  const wallet = buyer.address;
  expect(linesOf(path)).toMatchObject([{ status: 402 }, { status: 200, wallet }, { status: 200, wallet }]);
  expect(linesOf(path)[0]?.wallet).toBeUndefined();
});

it('the line of a refusal has its reason, without secrets', async () => {
  const path = newPath();
  const payment = await (await newBuyer(solana.mainnet)).pay(gateway.url + path);
  const code = `no such key: ${RPC_KEY}` as unknown as number;
  solana.mainnet.faults.refuse = { getLatestBlockhash: { code, message: 'Unauthorized' } };
  // The gateway reads the chain again after a second.
  await sleep(1_100);
  const reply = await ask(gateway.url + path, payment);
  solana.mainnet.faults.reset();
  expect([reply.status, reply.code]).toEqual([503, 'facilitator_unavailable']);
  const { status, error, reason } = linesOf(path).at(-1) ?? {};
  expect([status, error]).toEqual([503, 'facilitator_unavailable']);
  expect(reason).toContain('no such key: [secret]');
  expect(gateway.logLines.join('')).not.toContain(RPC_KEY);
  expect(reply.text).not.toContain(RPC_KEY);
});
