import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigner } from '@asset-gateway/client/node';
import { describe, expect, it } from 'vitest';
import { node, type Outcome, runCommand } from '../kit/command.ts';
import { isFull } from '../kit/rounds.ts';
import { openFixture, PROGRAM, unchanged, WALLET } from './fixture.ts';

const PAYING = ['balances', WALLET, '--pay'];
const MAX_WAIT_MS = 120_000;
/** How many processes pay at once, and for how many the budget has room; how many amounts each holds, with room for half of them. */
const [PROCESSES, ROOM] = isFull ? [10, 4] : [2, 1];
const [HOLDERS, HOLDS] = isFull ? [4, 100] : [2, 40];

const fixture = await openFixture();

const stateOf = (home: string): string => join(home, '.local/state/asset-gateway');

function openPayments(home: string): string[] {
  try {
    return readdirSync(join(stateOf(home), 'payments'));
  } catch {
    return [];
  }
}

/** Changes the file of the only open payment. */
function changePayment(home: string, change: (payment: Record<string, unknown>) => unknown): void {
  const [name = ''] = openPayments(home);
  const file = join(stateOf(home), 'payments', name);
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
}

/** Runs a command and counts its charges. */
async function charged(work: () => Promise<Outcome>): Promise<{ outcome: Outcome; charges: number }> {
  const before = fixture.transfers();
  const outcome = await work();
  return { outcome, charges: fixture.transfers() - before };
}

/** A purchase that is killed at a step. */
const killedAt = (step: string, home: string) => () =>
  runCommand(node(PROGRAM, 'kill', step, ...PAYING), { env: fixture.environment(home) });

/** A home with a purchase whose answer was lost in a proxy, and its charges. */
async function interrupted(): Promise<{ home: string; charges: number }> {
  const home = fixture.newHome();
  fixture.answerPayments({ status: 502, body: { ok: false, error: 'upstream_error', message: 'No.' } });
  const { outcome, charges } = await charged(() => fixture.run(PAYING, { home }));
  fixture.proxy.alter = unchanged;
  expect([outcome.code, charges], outcome.stderr).toEqual([5, 1]);
  return { home, charges };
}

/** Resumes and expects one charge in all, one answer and no open payment. */
async function resumesToOneCharge(home: string, charges: number): Promise<void> {
  expect(openPayments(home)).toHaveLength(1);
  const resumed = await charged(() => fixture.run(['resume'], { home }));
  expect(resumed.outcome.code, resumed.outcome.stderr).toBe(0);
  expect(JSON.parse(resumed.outcome.stdout)).toMatchObject({ ok: true, method: 'balances' });
  expect(charges + resumed.charges).toBe(1);
  expect(openPayments(home)).toEqual([]);
  const again = await charged(() => fixture.run(['resume'], { home }));
  expect([again.outcome.code, again.outcome.stderr, again.charges]).toEqual([0, 'there is nothing to resume\n', 0]);
}

describe('a purchase that is killed', { timeout: MAX_WAIT_MS }, () => {
  it.each(isFull ? ['held', 'signed'] : ['signed'])(
    'when its amount is %s costs nothing and can be repeated',
    async (step) => {
      const home = fixture.newHome();
      const { outcome, charges } = await charged(killedAt(step, home));
      expect([outcome.code, outcome.stdout, charges]).toEqual([null, '', 0]);
      const resumed = await charged(() => fixture.run(['resume'], { home }));
      expect([resumed.outcome.code, resumed.charges]).toEqual([0, 0]);
      const again = await charged(() => fixture.run(PAYING, { home }));
      expect([again.outcome.code, again.charges], again.outcome.stderr).toEqual([0, 1]);
    },
  );

  it.each(['recorded', 'answered'])('when its payment is %s is charged once with resume', async (step) => {
    const home = fixture.newHome();
    const { outcome, charges } = await charged(killedAt(step, home));
    expect([outcome.code, outcome.stdout]).toEqual([null, '']);
    await resumesToOneCharge(home, charges);
  });

  it.runIf(isFull)('when its outcome is recorded leaves nothing to resume', async () => {
    const home = fixture.newHome();
    const { charges } = await charged(killedAt('closed', home));
    expect([charges, openPayments(home)]).toEqual([1, []]);
  });

  it('or answered by a proxy instead of the gateway is charged once with resume', async () => {
    const { home, charges } = await interrupted();
    await resumesToOneCharge(home, charges);
  });

  it('W19 is charged once when it is repeated, even if another process has the first process id', async () => {
    const { home, charges: first } = await interrupted();
    changePayment(home, (payment) => ({ ...payment, pid: process.pid }));
    const { outcome, charges } = await charged(() => fixture.run(PAYING, { home }));
    expect([outcome.code, first + charges, openPayments(home)], outcome.stderr).toEqual([0, 1, []]);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ ok: true, method: 'balances' });
  });
});

describe('the spending', { timeout: MAX_WAIT_MS }, () => {
  it(`of ${PROCESSES} concurrent processes stays within one budget`, async () => {
    const home = fixture.newHome();
    const before = fixture.transfers();
    const budgetMicros = ROOM * 500;
    const budget = `$${budgetMicros / 1_000_000}`;
    // Processes with the same request would send one payment.
    const wordsOf = () => ['balances', newSigner().address, '--pay', '--max-day', budget.slice(1)];
    const all = Array.from({ length: PROCESSES }, () => fixture.runProgram(wordsOf(), { home }));
    const outcomes = await Promise.all(all);
    const codes = outcomes.map(({ code }) => code).sort();
    expect(codes).toEqual([...Array<number>(ROOM).fill(0), ...Array<number>(PROCESSES - ROOM).fill(3)]);
    expect(fixture.transfers() - before).toBe(ROOM);
    const refused = outcomes.find(({ code }) => code === 3);
    expect(refused?.stderr).toContain(`$0.0005 more would exceed ${budget} in 24 hours; nothing was signed\n`);
    const { stdout } = await fixture.run(['spending'], { home });
    expect(JSON.parse(stdout)).toMatchObject({ dayMicros: budgetMicros, perDayMicros: 1_000_000, open: [] });
  });

  it('is held atomically by concurrent processes', async () => {
    const folder = join(fixture.folder, 'contended');
    const room = (HOLDERS * HOLDS) / 2;
    const words = node(PROGRAM, 'hold', folder, String(HOLDS), String(5 * room));
    const outcomes = await Promise.all(Array.from({ length: HOLDERS }, () => runCommand(words)));
    expect(outcomes.map(({ stderr }) => stderr).join('')).toBe('');
    expect(outcomes.reduce((all, { stdout }) => all + Number(stdout), 0)).toBe(room);
  });
});

describe('W22 resume', { timeout: MAX_WAIT_MS }, () => {
  const HOUR_MS = 3_600_000;
  const idOf = (home: string): string => openPayments(home)[0]?.slice(0, -'.json'.length) ?? '';

  const UNKNOWN = {
    status: 503,
    headers: { 'content-type': 'application/json', 'retry-after': '600' },
    body: '{"ok":false,"error":"settlement_pending","message":"later"}',
  };

  it('goes on after payments that fail, and ends with the highest exit code', async () => {
    const { home, charges } = await interrupted();
    const folder = join(stateOf(home), 'payments');
    const [name = ''] = openPayments(home);
    const payment = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const lost = { ...payment, id: '0', request: { url: `${fixture.proxy.url}/lost`, method: 'GET' } };
    fixture.proxy.alter = ({ target }) => (target === '/lost' ? UNKNOWN : undefined);
    writeFileSync(join(folder, '0.json'), JSON.stringify(lost));
    for (const [id, text] of Object.entries({ 1: 'null', 2: '{"id":', 3: '{}', 4: '[]' })) {
      writeFileSync(join(folder, `${id}.json`), text);
    }
    const resumed = await charged(() => fixture.run(['resume'], { home }));
    expect([resumed.outcome.code, charges + resumed.charges], resumed.outcome.stderr).toEqual([5, 1]);
    expect(resumed.outcome.stdout).toContain('"method":"balances"');
    for (const id of [1, 2, 3, 4]) expect(resumed.outcome.stderr).toContain(`payments/${id}.json cannot be read`);
    expect(openPayments(home).sort()).toEqual(['0.json', '1.json', '2.json', '3.json', '4.json']);
    // Any unreadable file may be a payment for the same request.
    const anew = await charged(() => fixture.run(PAYING, { home }));
    expect([anew.outcome.code, anew.outcome.stdout, anew.charges]).toEqual([1, '', 0]);
    expect(anew.outcome.stderr).toMatch(/payments\/\d\.json cannot be read; .* move it away to go on without it\n/);
  });

  it('--give-up closes an expired payment as spent and says why', async () => {
    const { home } = await interrupted();
    const id = idOf(home);
    fixture.proxy.alter = () => UNKNOWN;
    for (const at of [Date.now(), Date.now() + HOUR_MS]) {
      changePayment(home, (payment) => ({ ...payment, at }));
      const kept = await charged(() => fixture.run(['resume', '--give-up'], { home }));
      expect([kept.outcome.code, kept.charges, openPayments(home)]).toEqual([5, 0, [`${id}.json`]]);
      expect(kept.outcome.stderr).toContain('stays open, because it may still settle');
    }
    changePayment(home, (payment) => ({ ...payment, at: Date.now() - HOUR_MS }));
    const over = await charged(() => fixture.run(['resume', '--give-up'], { home }));
    expect([over.outcome.code, over.charges, openPayments(home)], over.outcome.stderr).toEqual([0, 0, []]);
    expect(over.outcome.stderr).toContain(
      'is given up and counts as spent: it was signed more than 10 minutes ago and has expired\n',
    );
    const { dayMicros, spent } = JSON.parse((await fixture.run(['spending'], { home })).stdout);
    expect([dayMicros, spent]).toEqual([500, [expect.objectContaining({ id, step: 'given up' })]]);
  });

  it('reports a payment as refused if the gateway answers it with 402', async () => {
    const { home } = await interrupted();
    fixture.answerPayments({ status: 402, body: { ok: false, error: 'payment_required', message: 'Pay.' } });
    const { outcome } = await charged(() => fixture.run(['resume'], { home }));
    expect([outcome.code, outcome.stdout, openPayments(home)]).toEqual([6, '', []]);
    expect(outcome.stderr).toMatch(/the payment of \$0\.0005 for \S+ was refused; it counts as spent\n/);
  }, 90_000);
});

describe('W21 a ledger that cannot be read', { timeout: MAX_WAIT_MS }, () => {
  it('stops payments and names its file and the remedy; free commands work', async () => {
    const text = 'null\n';
    const home = fixture.newHome();
    const file = join(stateOf(home), 'spending.jsonl');
    mkdirSync(stateOf(home), { recursive: true });
    writeFileSync(file, text);
    const before = [fixture.transfers(), fixture.payments()];
    for (const words of [PAYING, ['spending']]) {
      const { code, stdout, stderr } = await fixture.run(words, { home });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`${file} cannot be read (line `);
      expect(stderr).toContain('restore it from a copy, or move it away');
    }
    expect([fixture.transfers(), fixture.payments()]).toEqual(before);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await fixture.run(['price', 'solana'], { home })).code).toBe(0);
  });
});

describe('nothing is signed', { timeout: MAX_WAIT_MS }, () => {
  const signatures = () =>
    fixture.proxy.exchanges.filter(({ asked }) => asked['payment-signature'] ?? asked['sign-in-with-x']);

  /** Runs a command and expects no signature, no call to the chain and no held amount. */
  async function signsNothing(words: readonly string[]): Promise<Outcome> {
    const home = fixture.newHome();
    const calls = () => fixture.gateway.solana.mainnet.calls.length;
    const before = [signatures().length, calls(), fixture.transfers()];
    const outcome = await fixture.run(words, { home });
    expect([signatures().length, calls(), fixture.transfers()]).toEqual(before);
    expect(openPayments(home)).toEqual([]);
    const { stdout } = await fixture.run(['spending'], { home });
    expect(JSON.parse(stdout)).toMatchObject({ allMicros: 0, spent: [] });
    return outcome;
  }

  it('by quote, which does not read the wallet', async () => {
    const { code, stdout, stderr } = await signsNothing(['quote', 'balances', WALLET, '--keypair', 'none.json']);
    expect([code, stderr]).toEqual([0, '']);
    const { payTo } = fixture.gateway.solana as { payTo: string };
    expect(JSON.parse(stdout)).toMatchObject({ priceUsd: '0.0005', listedUsd: '0.0005', payTo });
    const free = await signsNothing(['quote', 'price', 'solana']);
    expect(JSON.parse(free.stdout)).toMatchObject({ priceUsd: '0' });
  });

  it('for a gateway that asks for more than its catalog lists', async () => {
    fixture.proxy.alter = ({ status, body }) =>
      status === 402 ? { body: body.replaceAll('"amount":"500"', '"amount":"501"') } : undefined;
    const { code, stdout, stderr } = await signsNothing(PAYING);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('the gateway asks for $0.000501, but the catalog says $0.0005; nothing was signed\n');
  });

  it('without --pay', async () => {
    const { code, stdout, stderr } = await signsNothing(['balances', WALLET]);
    expect([code, JSON.parse(stdout).error]).toEqual([1, 'payment_required']);
    expect(stderr).toContain('nothing was paid; add --pay to pay, or run quote to see the price\n');
  });
});
