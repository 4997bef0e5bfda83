import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { accountOf, openRichWallet, paymentFor, signatureFor } from '../credit/gateway.ts';
import { freePort } from '../http/ports.ts';
import { withBothDatabases } from '../kit/databases.ts';
import { inSuite } from '../kit/in-suite.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { ask, newBuyer, newPath, PENDING, ROOMY, receiptIn, until } from './fault-buyer.ts';
import {
  askUntilDecided,
  expectAnsweredOnce,
  type GatewaySeries,
  type Killed,
  killedAfter,
  openGatewaySeries,
  tracesOf,
} from './fault-process.ts';
import { expectStored, newSale } from './sale.ts';
import { openWallet, type Wallet } from './wallets.ts';

type Steps = Readonly<Record<string, number>>;
/** Upstream calls by the step that the gateway has just taken. The last step first: payments killed early expire a minute after signing. */
const PURCHASE: Steps = { respond: 1, record: 1, settle: 1, store: 1, upstream: 1, verify: 0, reserve: 0 };
const DEBIT: Steps = { respond: 1, capture: 1, upstream: 1, hold: 0 };
/** After these steps the answer is not stored yet: the next gateway asks the upstream. */
const EARLY = ['upstream', 'verify', 'reserve', 'hold'];

const [PRICE, BUNDLE, LARGEST_BUNDLE] = [500, 50_000, 1_000_000];
const CHARGED = { grantedMicros: LARGEST_BUNDLE, spentMicros: PRICE };
/** Each way to pay for a call: its steps, and the account of the wallet in the end. */
const WAYS = {
  call: { steps: PURCHASE, account: { grantedMicros: 0, spentMicros: 0 } },
  bundle: { steps: PURCHASE, account: { grantedMicros: BUNDLE - PRICE, spentMicros: 0 } },
  signature: { steps: DEBIT, account: CHARGED },
  'covered call': { steps: DEBIT, account: CHARGED },
};
type Way = keyof typeof WAYS;
type Kill = readonly [way: Way, step: string];
type KilledCall = Killed & { readonly payer: Wallet; readonly way: Way };

/** Each step once, on one of the databases. */
const SHORT: Readonly<Record<'sqlite' | 'postgres', readonly Kill[]>> = {
  sqlite: [
    ['call', 'respond'],
    ['covered call', 'capture'],
    ['signature', 'hold'],
    ['bundle', 'settle'],
    ['call', 'upstream'],
    ['call', 'reserve'],
  ],
  postgres: [
    ['signature', 'respond'],
    ['covered call', 'upstream'],
    ['call', 'record'],
    ['bundle', 'store'],
    ['call', 'verify'],
  ],
};
/** All of them at once, so that their leases end together: the early ones last, so that their payments are valid when they are sent again. */
const FULL = Object.entries(WAYS)
  .flatMap(([way, { steps }]) => Object.keys(steps).map((step): Kill => [way as Way, step]))
  .sort(([, one], [, other]) => Number(EARLY.includes(one)) - Number(EARLY.includes(other)));

/** Longer than a hold of a process that has ended lasts. */
const LEASE_MS = 40_000;

const killing: Parameters<typeof withBothDatabases>[1] = (variables, database) => {
  let series: GatewaySeries;
  beforeAll(async () => {
    // On one port, so that signatures stay valid.
    series = await openGatewaySeries({ CREDIT: 'on', PORT: String(await freePort()), ...variables() });
  }, 120_000);
  afterAll(() => series.close());

  const accountNow = async ({ payer }: KilledCall) => accountOf((await series.current()).url, payer);

  const expectCalls = (killed: KilledCall, calls: number) =>
    expect([killed.way, killed.step, tracesOf(series, killed).calls]).toEqual([killed.way, killed.step, calls]);

  async function kill([way, step]: Kill): Promise<KilledCall> {
    const killed = await killedAfter(step, series, async () => {
      const isRich = WAYS[way].steps === DEBIT;
      const wallet = await (isRich ? openRichWallet(series) : openWallet(series.solana));
      const pays = way === 'bundle' ? 'bundle' : 'call';
      return {
        ...wallet,
        headers: (url, path) =>
          way === 'signature' ? signatureFor(url, path, wallet) : paymentFor(url + path, wallet, pays),
      };
    });
    const call = { ...killed, way };
    expectCalls(call, WAYS[way].steps[step] ?? 0);
    if (WAYS[way].steps === DEBIT) await expectHeldOrCharged(call);
    return call;
  }

  /** In SQLite the next process releases the hold of a debit. In PostgreSQL it lasts until its lease ends. */
  async function expectHeldOrCharged(killed: KilledCall): Promise<void> {
    const { way, step, path, headers } = killed;
    const isEarly = EARLY.includes(step);
    const isHeld = isEarly && database === 'postgres';
    if (isHeld) {
      const again = await askUntilDecided((await series.current()).url + path, headers, 300);
      expect([way, step, again.status, again.code]).toEqual([way, step, 409, 'payment_in_progress']);
    }
    const [spentMicros, heldMicros] = [isEarly ? 0 : PRICE, isHeld ? PRICE : 0];
    expect(await accountNow(killed)).toMatchObject({ grantedMicros: LARGEST_BUNDLE, spentMicros, heldMicros });
  }

  async function expectPaidOnce(killed: KilledCall): Promise<void> {
    const { way, step } = killed;
    const { steps, account } = WAYS[way];
    const reply = await expectAnsweredOnce(series, killed, LEASE_MS);
    const charged = steps === DEBIT ? `charged=${PRICE}, balance=${LARGEST_BUNDLE - PRICE}` : undefined;
    if (charged) expect([way, step, reply.headers.get('credit')]).toEqual([way, step, charged]);
    const balanceMicros = account.grantedMicros - account.spentMicros;
    expect(await accountNow(killed)).toMatchObject({ ...account, balanceMicros, heldMicros: 0 });
    expectCalls(killed, (steps[step] ?? 0) + (EARLY.includes(step) ? 1 : 0));
  }

  it.sequential('P7 killed after any step: one transfer, one charge and one answer to all copies', {
    timeout: 3_600_000,
  }, async () => {
    for (let round = 0; round < roundsOnEach(20); round++) {
      const all: KilledCall[] = [];
      // Their reservations and holds lapse together.
      for (const each of isFull ? FULL : SHORT[database]) all.push(await kill(each));
      for (const killed of all.reverse()) await expectPaidOnce(killed);
      await series.expectBooksInOrder();
    }
  });

  const ENDINGS: readonly (readonly [string, boolean])[] = [
    ['between upstream and settle: it is served before the gateway ends', true],
    ['and the client leaves as well: the next gateway serves the answer', false],
  ];
  it.sequential.each(ENDINGS.filter((_, index) => isFull || index === Number(database === 'postgres')))(
    'P19 SIGTERM %s, one transfer',
    { timeout: 90_000 },
    async (_, isWaiting) => {
      const { mainnet, provider } = series.solana;
      const gateway = await series.current();
      const path = newPath();
      const payment = await (await newBuyer(mainnet)).pay(gateway.url + path);
      const [transfers, arrivals] = [mainnet.transfers.length, provider.arrivals.length];
      provider.faults.delayMs = 1_500;
      mainnet.faults.confirmAfterMs = 1_000;
      const leaving = new AbortController();
      const asked = ask(gateway.url + path, payment, { signal: leaving.signal }).catch(() => undefined);
      await until(() => provider.arrivals.length > arrivals);
      if (!isWaiting) leaving.abort();
      const [reply, code] = await Promise.all([asked, gateway.end('SIGTERM')]);
      expect([reply?.outcome, code]).toEqual([isWaiting ? '200' : undefined, 0]);
      mainnet.faults.reset();
      provider.faults.reset();
      expect(mainnet.transfers.length - transfers).toBe(1);
      const again = await askUntilDecided((await series.current()).url + path, { [HEADERS.payment]: payment });
      expect([again.outcome, again.text]).toEqual(['200 again', reply?.text ?? again.text]);
      expect(receiptIn(again)).toMatchObject({ success: true });
      expect([mainnet.transfers.length - transfers, provider.arrivals.length - arrivals]).toEqual([1, 1]);
      await series.expectBooksInOrder();
    },
  );
};

// At once, since they wait for leases.
withBothDatabases('a gateway that ends during a purchase', killing, { concurrent: true });

/** The next write that takes a payment to this state fails: it is not written, or it is, as over a connection that is lost. */
function failOnce(state: 'settling' | 'settled', isWritten: boolean): void {
  let isOver = false;
  for (const { prototype } of [SqliteDatabase, PostgresDatabase]) {
    const write = prototype.write;
    vi.spyOn(prototype, 'write').mockImplementation(async function (this: never, step) {
      if (isOver || !step.changes?.some(({ values }) => values?.includes(state))) return write.call(this, step);
      isOver = true;
      if (isWritten) await write.call(this, step);
      throw new Error('ENOSPC: no space left on device');
    });
  }
}

withBothDatabases('a database that fails in the middle of a purchase', (variables) => {
  const gateway = inSuite(() => startSellingGateway({ ...ROOMY, ...variables() }));
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    ['is written and then fails', true],
    ['fails', false],
  ])('P7 the step after the transfer %s: the answer is served, and served again', async (_, isWritten) => {
    const sale = await newSale(gateway);
    failOnce('settled', isWritten);
    const first = await sale.ask();
    expect(first.outcome).toBe('200');
    expect(receiptIn(first)).toMatchObject({ success: true, transaction: sale.chain.transfers.at(-1)?.signature });
    await expectStored(sale);
    expect((await sale.ask()).text).toBe(first.text);
    expect(gateway.logLines.join('')).toContain('ENOSPC');
  });

  it.each([
    ['fails', false, '503 state_unavailable unused', '200'],
    ['is written and then fails', true, PENDING, '402'],
  ])('P7 the step before the transfer %s: nothing moves, and no byte of the result', async (...row) => {
    const [, isWritten, outcome, later] = row;
    const sale = await newSale(gateway);
    sale.provider.faults.body = '{"canary":"CANARY_result"}';
    failOnce('settling', isWritten);
    const reply = await sale.ask();
    sale.provider.faults.reset();
    expect(reply.outcome).toBe(outcome);
    expect(reply.text).not.toContain('CANARY_result');
    expect(sale.moved()[0]).toBe(0);
    if (isWritten) {
      sale.faults.expireBlockhashes();
      sale.chain.advanceBlocks(300);
    }
    expect((await sale.decided()).outcome.split(' ')[0]).toBe(later);
    expect(sale.moved()[0]).toBe(isWritten ? 0 : 1);
  });
});
