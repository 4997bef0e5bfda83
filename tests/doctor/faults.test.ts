import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checks } from '../../packages/gateway/src/doctor/checks/index.ts';
import { examine } from '../../packages/gateway/src/doctor/examine.ts';
import { freePort } from '../http/ports.ts';
import { type House, startHouse } from '../kit/house.ts';
import { faultyAnswers } from './faulty-answers.ts';
import { faultyChallenges } from './faulty-challenges.ts';
import { faultyDocuments } from './faulty-documents.ts';
import { type FaultyProxy, startProxy } from './proxy.ts';

const FAULTS = [...faultyChallenges, ...faultyAnswers, ...faultyDocuments];

/** A few paid routes beside the signed ones are enough to find a fault in; that nothing is found in all of them is shown elsewhere. */
const FEWER_ROUTES = {
  HELIUS_MAINNET_RPC_URL: '',
  HELIUS_DEVNET_RPC_URL: '',
  ALCHEMY_DEVNET_RPC_URL: '',
  DAS_RATE_LIMIT_PER_SECOND: '0',
  WALLET_RATE_LIMIT_PER_SECOND: '0',
};

let proxy: FaultyProxy;
let house: House;
/** The gateway behind the proxy. */
let direct: string;
beforeAll(async () => {
  const port = await freePort();
  proxy = await startProxy(port);
  house = await startHouse({ PORT: String(port), GATEWAY_BASE_URL: proxy.url, ...FEWER_ROUTES }, { paid: true });
  direct = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await proxy.stop();
  await house.stop();
});
beforeEach(() => {
  proxy.alter = () => undefined;
  proxy.exchanges.length = 0;
});

const upstreamCalls = (): number => house.upstream.arrivals.length + (house.shop?.provider.arrivals.length ?? 0);

describe('the doctor, with a proxy before the gateway', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    'finds %s, by the check meant for it alone',
    async (_, fault) => {
      proxy.alter = fault.alter;
      const { findings } = await examine(proxy.url);
      const [first] = findings;
      expect([...new Set(findings.map(({ check }) => check))]).toEqual([fault.check]);
      expect(first?.where).toMatch(fault.where);
      expect(first?.problem).toMatch(fault.problem);
      expect(first?.fix).toMatch(fault.fix);
      expect(upstreamCalls()).toBe(0);
    },
  );

  it('has a seeded fault for each of its checks', () => {
    expect(checks.map(({ name }) => name).filter((name) => !FAULTS.some(({ check }) => check === name))).toEqual([]);
  });

  it('finds nothing when the proxy alters nothing, and has sent nothing that could sign or pay', async () => {
    expect((await examine(proxy.url)).findings).toEqual([]);
    const proofs = proxy.exchanges.flatMap(({ asked }) =>
      ['sign-in-with-x', 'payment-signature', 'x-payment', 'authorization'].flatMap((name) => asked[name] ?? []),
    );
    expect(proofs).toEqual(['junk', 'junk']);
    expect(upstreamCalls()).toBe(0);
  });

  it('waits as a 429 asks it to, and then goes on', async () => {
    let refusals = 0;
    proxy.alter = ({ target }) =>
      target.endsWith('/tokens/health') && ++refusals === 1
        ? { status: 429, headers: { 'retry-after': '1' } }
        : undefined;
    expect((await examine(proxy.url)).findings).toEqual([]);
    expect(refusals).toBeGreaterThan(1);
  });

  it('finds that a gateway names another origin than the one that was dialled', async () => {
    const { findings } = await examine(direct);
    const named = new Set(findings.map(({ check }) => check));
    expect([...named].sort()).toEqual(['llms', 'openapi', 'resource', 'sign-in', 'well-known']);
  });
});
