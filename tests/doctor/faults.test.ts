import { type Diagnosis, examine } from '@asset-gateway/doctor';
import { describe, expect, it } from 'vitest';
import { checks } from '../../packages/doctor/src/checks/index.ts';
import { diagnose } from '../../packages/doctor/src/examine.ts';
import { explore } from '../../packages/doctor/src/explore.ts';
import type { Ask } from '../../packages/doctor/src/http-client.ts';
import { writeDocument } from '../apis/document-files.ts';
import { freePort } from '../http/ports.ts';
import { type Alter, passedOn, startRecordingProxy } from '../kit/recording-proxy.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { CUT, FAULTS, INVALID_EXAMPLE, type SeededFault } from './seeded-faults.ts';

/** Request headers that do not identify a request. */
const IGNORED = ['host', 'connection', 'accept', 'content-length'];

/** Identifies a request of a record. */
function keyOf(method: string, target: string, headers: Readonly<Record<string, unknown>>): string {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  const own = lowered.filter(([name]) => !IGNORED.includes(name));
  return JSON.stringify([method, target, own.sort()]);
}

const only = (...names: string[]) => ({
  operations: { '*': { enabled: false }, ...Object.fromEntries(names.map((name) => [name, { enabled: true }])) },
});
/** A few routes suffice to find a fault; clean.test.ts examines all of them. */
const APIS_FILE = writeDocument({
  tokens: only('health', 'search', 'assetDetail'),
  rpc: only('mainnet.alchemy.getBalance'),
  das: { enabled: false },
  wallet: { enabled: false },
});

const port = await freePort();
const proxy = await startRecordingProxy(port);
const variables = { PORT: String(port), GATEWAY_BASE_URL: proxy.url, RECEIPTS: 'on', APIS_FILE };
const gateway = await startTestGateway(variables, { paid: true });
/** The diagnosis without a fault, and its requests and answers. */
const live = await examine(proxy.url);
const record = proxy.exchanges.map((each) => ({ ...each, key: keyOf(each.method, each.target, each.asked) }));

/** Examines the gateway by its recorded and changed answers, in the order of the recorded requests. */
async function examineRecord(alter: Alter = () => undefined, origin = proxy.url): Promise<Diagnosis> {
  const left = [...record];
  const ask: Ask = async (method, target, { headers = {} } = {}) => {
    const key = keyOf(method, target, headers);
    const recorded = left.find((each) => each.key === key);
    if (!recorded) throw new Error(`${method} ${target} was recorded fewer times`);
    left.splice(left.indexOf(recorded), 1);
    return { method, url: origin + target, ...passedOn(recorded, alter) };
  };
  return diagnose(await explore(origin, ask));
}

/** The first finding of each fault. */
const findings = new Map<string, string>();

/** Expects a fault to be found by its check and by no other. */
function expectOnly({ findings: found }: Diagnosis, [name, check]: SeededFault): void {
  expect([...new Set(found.map((finding) => finding.check))]).toEqual([check]);
  const [{ where = '', problem = '', fix = '' } = {}] = found;
  const text = `${name}\n  ${where}: ${problem}.\n  ${fix}.\n`;
  findings.set(
    name,
    text.replaceAll(/127\.0\.0\.1(:|%3A)\d+/g, '127.0.0.1$1<port>').replaceAll(/#[\w-]{43}/g, '#<key>'),
  );
}

const isLive = ([name]: SeededFault) => [CUT, INVALID_EXAMPLE].includes(name);

describe('the doctor, with a proxy in front of the gateway', () => {
  it('finds nothing without a fault, and sends no signature or payment', () => {
    expect(live.findings).toEqual([]);
    const proofs = record.flatMap(({ asked }) =>
      ['sign-in-with-x', 'payment-signature', 'x-payment', 'authorization'].flatMap((name) => asked[name] ?? []),
    );
    expect(proofs).toEqual(['junk', 'junk']);
    expect([gateway.upstream.arrivals, gateway.solana.provider.arrivals]).toEqual([[], []]);
  });

  it.each(FAULTS.filter(isLive))('finds %s with one check only', async (...fault) => {
    [, , proxy.alter] = fault;
    expectOnly(await examine(proxy.url), fault);
    expect([gateway.upstream.arrivals, gateway.solana.provider.arrivals]).toEqual([[], []]);
  });
});

describe('the doctor, with recorded answers', () => {
  it('gives the same diagnosis as at the gateway', async () => {
    expect(await examineRecord()).toEqual(live);
  });

  it.each(FAULTS.filter((fault) => !isLive(fault)))('finds %s with one check only', async (...fault) => {
    const [, , alter] = fault;
    expectOnly(await examineRecord(alter), fault);
  });

  // `npm test -- tests/doctor --update` records intended changes.
  it("names each fault's place, problem and fix, as recorded", async () => {
    expect([...findings.keys()].sort()).toEqual(FAULTS.map(([name]) => name).sort());
    const texts = FAULTS.map(([name]) => findings.get(name));
    await expect(texts.join('\n')).toMatchFileSnapshot('findings.txt');
  });

  it('has a seeded fault for each check', () => {
    expect(Object.keys(checks).filter((name) => !FAULTS.some(([, check]) => check === name))).toEqual([]);
  });

  it('finds that a gateway names another origin than the requested one', async () => {
    const { findings } = await examineRecord(undefined, 'http://127.0.0.1:1');
    const found = new Set(findings.map(({ check }) => check));
    expect([...found].sort()).toEqual(['llms', 'openapi', 'receipts', 'resource', 'sign-in', 'well-known']);
  });
});
