import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import type { TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { mostInAnySpan } from '../budget/history.ts';
import { freePort } from '../http/ports.ts';
import { noteTime } from '../kit/event-loop.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { CANARY_KEY, CANARY_SECRET, LIST_PRICES, startChains, startUpstream } from '../kit/test-gateway.ts';
import { until } from '../payments/fault-buyer.ts';
import { type Program, startProgram } from '../process/program.ts';
import {
  openBuyers,
  quantile,
  row,
  type Served,
  SignedCrowd,
  type SteadyBuyer,
  type UsedSignIn,
  type Watched,
  watch,
} from './honest.ts';

/** How long the gateway is measured alone, and then under attack. */
const [IDLE_MS, ATTACK_MS] = [120_000, 3_600_000];
/** From one volley of four honest sign-ins to the next: within thirty in any minute. */
const [VOLLEY_MS, PURCHASE_MS] = [12_000, 5_000];
const PROVIDER_TIMEOUT_MS = 15_000;
const HANG_MS = PROVIDER_TIMEOUT_MS + 5_000;
const [LIMIT, WINDOW_MS] = [30, 60_000];
const VOLUMES = { silent: 2_000, pipelines: 30 };
const MAX_RSS_MIB = 512;
const SLOWER_MS = 1_000;
const FUNDS = 10_000_000n;
/** An account that the provider never answers about. */
const HANGS = 'Vote111111111111111111111111111111111111111';

const OK = '200';
noteTime();

/** Answers to honest clients, and measurements of the gateway. */
interface Phase extends Watched {
  readonly signed: readonly Served[];
  readonly bought: readonly Served[];
}

// Other suites show each attack alone.
describe.runIf(isFull)('an hour of all attacks at once, beside ten wallets that sign in and two that buy', () => {
  let upstream: TokensApi;
  let solana: SolanaSandbox;
  let program: Program;
  let origin: string;
  let crowd: SignedCrowd;
  let buyers: SteadyBuyer[];
  /** In a process of their own. */
  let attackers: ChildProcess | undefined;
  const [poor, rich] = [30, 2].map((count) => Array.from({ length: count }, newKeypair)) as [
    Uint8Array[],
    Uint8Array[],
  ];
  const addressesOf = (keys: readonly Uint8Array[]) => keys.map((key) => signerFromBytes(key).address);

  beforeAll(async () => {
    upstream = await startUpstream();
    solana = await startChains();
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const variables = {
      PORT: String(port),
      DATA_DIR: makeFolder(),
      GATEWAY_SECRET: CANARY_SECRET,
      TOKENS_API_BASE_URL: upstream.url,
      TOKENS_API_KEY: CANARY_KEY,
      TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT),
      PAID_UPSTREAM_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
      ...solana.variables,
      ...LIST_PRICES,
    };
    // All of the log is written, and an hour of it is kept nowhere.
    program = startProgram(variables, { through: 'exec >/dev/null' });
    const isUp = () =>
      fetch(`${origin}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isUp, 60_000);
    crowd = new SignedCrowd(origin);
    buyers = await openBuyers(origin, solana.mainnet, FUNDS);
    for (const wallet of addressesOf(poor)) await solana.mainnet.fundUsdc(wallet, 1n);
    for (const wallet of addressesOf(rich)) await solana.mainnet.fundUsdc(wallet, FUNDS);
    const hangs = ({ body }: { body: string }) => body.includes(HANGS);
    Object.assign(solana.provider.faults, { hang: true, only: hangs });
  }, 120_000);

  afterAll(() => void attackers?.kill('SIGKILL'));

  async function phase(lengthMs: number, onVolley?: (used: readonly UsedSignIn[]) => void): Promise<Phase> {
    const endMs = performance.now() + lengthMs;
    const before = [crowd, ...buyers].map(({ served }) => served.length);
    const [watched] = await Promise.all([
      watch(origin, program.child.pid ?? 0, endMs),
      crowd.run(VOLLEY_MS, endMs, onVolley),
      ...buyers.map((buyer) => buyer.run(PURCHASE_MS, endMs)),
    ]);
    const [signed = [], ...bought] = [crowd, ...buyers].map(({ served }, index) => served.slice(before[index]));
    return { ...watched, signed, bought: bought.flat() };
  }

  let idle: Phase;
  let attacked: Phase;
  /** The answers of each attack. */
  let tally: Readonly<Record<string, Readonly<Record<string, number>>>>;

  it('runs and prints a report', { timeout: IDLE_MS + ATTACK_MS + 180_000 }, async () => {
    idle = await phase(IDLE_MS);
    const keys = { poor: poor.map((key) => [...key]), rich: rich.map((key) => [...key]) };
    const target = { url: origin, rpcUrl: solana.mainnet.url, hangs: HANGS, hangMs: HANG_MS };
    const begun = fork('tests/survival/attackers.mjs', { execArgv: [] });
    attackers = begun;
    begun.send({ ...target, ...keys, ...VOLUMES });
    attacked = await phase(ATTACK_MS, (used) => void begun.send({ used }));
    const told = once(begun, 'message');
    begun.send({ isOver: true });
    const [ended] = (await told) as [{ tally: typeof tally; cpuSeconds: number }];
    tally = ended.tally;
    const attacks = Object.entries(tally).map(([id, answers]) => `| ${id} | ${JSON.stringify(answers)} |`);
    const honest = [idle, attacked].flatMap(({ signed, bought, health }, index) => {
      const when = ['alone', 'under attack'][index];
      return [row(`sign-ins ${when}`, signed), row(`purchases ${when}`, bought), row(`/healthz ${when}`, health)];
    });
    const seconds = [idle.cpuSeconds, attacked.cpuSeconds, ended.cpuSeconds].map((each) => each.toFixed(1));
    process.stdout.write(`${[...attacks, '', ...honest].join('\n')}\n`);
    process.stdout.write(
      `CPU of the gateway ${seconds[0]} s in ${IDLE_MS / 1_000} s alone, ${seconds[1]} s in ${ATTACK_MS / 1_000} s under attack ` +
        `(attackers ${seconds[2]} s); memory at most ${Math.ceil(idle.maxRssMib)} MiB alone, ${Math.ceil(attacked.maxRssMib)} MiB under attack\n`,
    );
  });

  it('ran each attack', () => {
    const expected = ['V1', 'V2', 'V6', 'V9', 'V13', 'V14', 'V18', 'V20'];
    expect(Object.keys(tally).sort()).toEqual(expected.sort());
  });

  it('served every honest request', () => {
    expect([...idle.signed, ...attacked.signed].filter(({ outcome }) => outcome !== OK)).toEqual([]);
    expect([...idle.bought, ...attacked.bought].filter(({ outcome }) => outcome !== OK)).toEqual([]);
    expect(attacked.signed.length).toBeGreaterThanOrEqual(12);
  });

  it('sold each answer for one transfer of its price', async () => {
    for (const { buyer, answers, spentMicros } of buyers) {
      const transfers = solana.mainnet.transfers.filter(({ from }) => from === buyer.address);
      expect(transfers).toHaveLength(answers);
      expect(Number(FUNDS - (await solana.mainnet.usdcBalance(buyer.address)))).toBe(spentMicros);
    }
  });

  it('gave attackers no answer, and took no money from them', async () => {
    const got = Object.values(tally).flatMap((answers) => Object.keys(answers));
    expect(got.filter((answer) => answer.startsWith('2') && answer !== '204')).toEqual([]);
    for (const wallet of addressesOf(poor)) expect(await solana.mainnet.usdcBalance(wallet)).toBe(1n);
    for (const wallet of addressesOf(rich)) expect(await solana.mainnet.usdcBalance(wallet)).toBe(FUNDS);
    expect(solana.mainnet.transfers).toHaveLength(buyers.reduce((sum, { answers }) => sum + answers, 0));
  });

  it('called its upstream only for honest clients, within the limit', () => {
    expect(upstream.arrivals).toHaveLength(crowd.served.length);
    expect(mostInAnySpan(upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
  });

  it('stayed alive in bounded memory', () => {
    expect(program.child.exitCode ?? program.child.signalCode).toBeNull();
    expect(attacked.health.filter(({ outcome }) => outcome !== OK)).toEqual([]);
    expect(Math.max(idle.maxRssMib, attacked.maxRssMib)).toBeLessThan(MAX_RSS_MIB);
  });

  it('kept honest clients waiting at most a second longer than without attackers', () => {
    for (const kind of ['signed', 'bought'] as const) {
      const [alone, under] = [quantile(idle[kind], 0.99), quantile(attacked[kind], 0.99)];
      expect(under, kind).toBeLessThan(alone + SLOWER_MS);
    }
  });
});
