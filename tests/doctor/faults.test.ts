import { type Diagnosis, examine } from '@asset-gateway/doctor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checks } from '../../packages/doctor/src/checks/index.ts';
import { HttpClient } from '../../packages/doctor/src/http-client.ts';
import { freePort } from '../http/ports.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { faultyAnswers } from './faulty-answers.ts';
import { faultyChallenges } from './faulty-challenges.ts';
import { faultyDocuments } from './faulty-documents.ts';
import { faultyReceipts } from './faulty-receipts.ts';
import { type Exchange, type FaultyProxy, startProxy } from './proxy.ts';
import { examineRecord } from './record.ts';
import type { SeededFault } from './seeds.ts';

const FAULTS = [...faultyChallenges, ...faultyAnswers, ...faultyDocuments, ...faultyReceipts];

/** A few paid routes beside the signed ones are enough to find a fault in; that nothing is found in all of them is shown elsewhere. */
const FEWER_ROUTES = {
  HELIUS_MAINNET_RPC_URL: '',
  HELIUS_DEVNET_RPC_URL: '',
  ALCHEMY_DEVNET_RPC_URL: '',
  DAS_RATE_LIMIT_PER_SECOND: '0',
  WALLET_RATE_LIMIT_PER_SECOND: '0',
};

let proxy: FaultyProxy;
let gateway: TestGateway;
/** What was found while nothing was altered, and the requests and answers of it. */
let live: Diagnosis;
let record: readonly Exchange[];
beforeAll(async () => {
  const port = await freePort();
  proxy = await startProxy(port);
  gateway = await startTestGateway(
    { PORT: String(port), GATEWAY_BASE_URL: proxy.url, RECEIPTS: 'on', ...FEWER_ROUTES },
    { paid: true },
  );
  live = await examine(proxy.url);
  record = [...proxy.exchanges];
});
afterAll(async () => {
  await proxy.stop();
  await gateway.stop();
});

/** Sees that a fault is found where it is, and that no other check speaks of it. */
function expectAlone({ findings }: Diagnosis, { check, where, problem, fix }: SeededFault): void {
  const [first] = findings;
  expect([...new Set(findings.map((finding) => finding.check))]).toEqual([check]);
  expect(first?.where).toMatch(where);
  expect(first?.problem).toMatch(problem);
  expect(first?.fix).toMatch(fix);
}

const named = (faults: readonly SeededFault[]) => faults.map((fault) => [fault.name, fault] as const);

describe('the doctor, with a proxy before the gateway', () => {
  it('finds nothing when the proxy alters nothing, and has sent nothing that could sign or pay', () => {
    expect(live.findings).toEqual([]);
    const proofs = record.flatMap(({ asked }) =>
      ['sign-in-with-x', 'payment-signature', 'x-payment', 'authorization'].flatMap((name) => asked[name] ?? []),
    );
    expect(proofs).toEqual(['junk', 'junk']);
    expect([gateway.upstream.arrivals, gateway.solana?.provider.arrivals]).toEqual([[], []]);
  });

  it.each(named(FAULTS.filter(({ isLive }) => isLive)))(
    'finds %s, by the check meant for it alone',
    async (_, fault) => {
      proxy.alter = fault.alter;
      expectAlone(await examine(proxy.url), fault);
      expect([gateway.upstream.arrivals, gateway.solana?.provider.arrivals]).toEqual([[], []]);
    },
  );

  it('waits as a 429 asks it to, and then asks again', async () => {
    let asked = 0;
    proxy.alter = () => (++asked === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined);
    const client = new HttpClient(proxy.url);
    const start = performance.now();
    expect((await client.ask('GET', '/healthz')).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(asked).toBe(2);
    await client.close();
  });
});

describe('the doctor, with recorded answers', () => {
  it('says of them what it said of the gateway that gave them', async () => {
    expect(await examineRecord(proxy.url, record)).toEqual(live);
  });

  it.each(named(FAULTS.filter(({ isLive }) => !isLive)))(
    'finds %s, by the check meant for it alone',
    async (_, fault) => {
      expectAlone(await examineRecord(proxy.url, record, fault.alter), fault);
    },
  );

  it('has a seeded fault for each of its checks', () => {
    expect(checks.map(({ name }) => name).filter((name) => !FAULTS.some(({ check }) => check === name))).toEqual([]);
  });

  it('finds that a gateway names another origin than the one that was dialled', async () => {
    const { findings } = await examineRecord('http://127.0.0.1:1', record);
    const found = new Set(findings.map(({ check }) => check));
    expect([...found].sort()).toEqual(['llms', 'openapi', 'receipts', 'resource', 'sign-in', 'well-known']);
  });
});
