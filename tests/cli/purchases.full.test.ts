import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair, newSigner, signerFromBytes } from '@asset-gateway/client/node';
import { afterEach, describe, expect, it } from 'vitest';
import { node, type Outcome, runCommand, startCommand } from '../kit/command.ts';
import { isFull } from '../kit/rounds.ts';
import { MAIN, openFixture, PROGRAM, unchanged, WALLET } from './fixture.ts';

const PAYING = `balances ${WALLET} --pay`;
const MAX_WAIT_MS = 120_000;
const HOUR_MS = 3_600_000;
/** How many processes pay at once, and for how many the budget has room; how many amounts each holds, with room for half of them. */
const [PROCESSES, ROOM] = isFull ? [10, 4] : [2, 1];
const [HOLDERS, HOLDS] = isFull ? [4, 100] : [2, 40];

const fixture = await openFixture();

const stateOf = (home: string): string => join(home, '.local/state/asset-gateway');

function openPayments(home: string): string[] {
  const folder = join(stateOf(home), 'payments');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Changes the file of the only open payment. */
function changePayment(home: string, change: (payment: Record<string, unknown>) => unknown): void {
  const [name = ''] = openPayments(home);
  const file = join(stateOf(home), 'payments', name);
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
}

/** An outcome and the charges of a run. */
async function charged(run: Promise<Outcome>): Promise<Outcome & { readonly charges: number }> {
  const before = fixture.transfers();
  const outcome = await run;
  return { ...outcome, charges: fixture.transfers() - before };
}

/** Runs a command in a home and counts its charges. */
const runIn = (home: string, typed = PAYING) => charged(fixture.run(typed, { home }));

/** A home with a purchase whose answer was lost in a proxy, and its charges. */
async function interrupted(): Promise<{ home: string; charges: number }> {
  const home = fixture.newHome();
  fixture.answerPayments({ status: 502, body: { ok: false, error: 'upstream_error', message: 'No.' } });
  const { code, charges, stderr } = await runIn(home);
  fixture.proxy.alter = unchanged;
  expect([code, charges], stderr).toEqual([5, 1]);
  return { home, charges };
}

describe('a purchase that is killed', { timeout: MAX_WAIT_MS }, () => {
  it.each([
    ...(isFull ? [['held', 0] as const, ['closed', 1] as const] : []),
    ['signed', 0],
    ['recorded', 1],
    ['answered', 1],
  ] as const)('once it is %s costs %i payments with resume, and can be repeated', async (step, cost) => {
    const home = fixture.newHome();
    const words = node(PROGRAM, 'kill', step, ...PAYING.split(' '));
    const killed = await charged(runCommand(words, { env: fixture.environment(home) }));
    const isOpen = step === 'recorded' || step === 'answered';
    expect([killed.code, killed.stdout, openPayments(home).length]).toEqual([null, '', isOpen ? 1 : 0]);
    const resumed = await runIn(home, 'resume');
    expect([resumed.code, killed.charges + resumed.charges], resumed.stderr).toEqual([0, cost]);
    if (isOpen) expect(JSON.parse(resumed.stdout)).toMatchObject({ ok: true, method: 'balances' });
    const again = await runIn(home, 'resume');
    expect([again.code, again.stderr, again.charges]).toEqual([0, 'there is nothing to resume\n', 0]);
    const repeated = await runIn(home);
    expect([repeated.code, repeated.charges], repeated.stderr).toEqual([0, 1]);
  });

  it('W19 is charged once when it is repeated, even if another process has the first process id', async () => {
    const { home, charges: first } = await interrupted();
    changePayment(home, (payment) => ({ ...payment, pid: process.pid }));
    const { code, stdout, stderr, charges } = await runIn(home);
    expect([code, first + charges, openPayments(home)], stderr).toEqual([0, 1, []]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, method: 'balances' });
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
    const all = Array.from({ length: PROCESSES }, () =>
      runCommand(node(MAIN, ...wordsOf()), { env: fixture.environment(home) }),
    );
    const outcomes = await Promise.all(all);
    const codes = outcomes.map(({ code }) => code).sort();
    expect(codes).toEqual([...Array<number>(ROOM).fill(0), ...Array<number>(PROCESSES - ROOM).fill(3)]);
    expect(fixture.transfers() - before).toBe(ROOM);
    const refused = outcomes.find(({ code }) => code === 3);
    expect(refused?.stderr).toContain(
      `$0.0005 more would exceed ${budget} in 24 hours (--max-day); nothing was signed`,
    );
    const { stdout } = await fixture.run('spending', { home });
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
  const headers = { 'content-type': 'application/json', 'retry-after': '600' };
  const UNKNOWN = { status: 503, headers, body: '{"ok":false,"error":"settlement_pending","message":"later"}' };

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
    const resumed = await runIn(home, 'resume');
    expect([resumed.code, charges + resumed.charges], resumed.stderr).toEqual([5, 1]);
    expect(resumed.stdout).toContain('"method":"balances"');
    for (const id of [1, 2, 3, 4]) expect(resumed.stderr).toContain(`payments/${id}.json cannot be read`);
    expect(openPayments(home).sort()).toEqual(['0.json', '1.json', '2.json', '3.json', '4.json']);
    // Any unreadable file may be a payment for the same request.
    const anew = await runIn(home);
    expect([anew.code, anew.stdout, anew.charges]).toEqual([1, '', 0]);
    expect(anew.stderr).toMatch(/payments\/\d\.json cannot be read; .* move it away to go on without it\n/);
  });

  it.each([
    ['that has settled, as paid', true, 'has settled, and its answer is lost', [{ step: 'paid' }], 500],
    ['that never will, and frees its amount', false, 'is given up and does not count', [], 0],
  ])('X22 --give-up closes a payment %s, once the chain says so', async (_, isSettled, sentence, spent, dayMicros) => {
    const { gateway, proxy } = fixture;
    if (!isSettled) gateway.solana.provider.faults.status = 500;
    const { home } = isSettled ? await interrupted() : { home: fixture.newHome() };
    if (!isSettled) expect((await runIn(home)).code).toBe(75);
    const [name = ''] = openPayments(home);
    proxy.alter = () => UNKNOWN;
    // By a clock that was set back, the payment is of the future.
    for (const at of [Date.now(), Date.now() - HOUR_MS, Date.now() + HOUR_MS]) {
      changePayment(home, (payment) => ({ ...payment, at }));
      const kept = await runIn(home, 'resume --give-up');
      expect([kept.code, kept.charges, openPayments(home)]).toEqual([5, 0, [name]]);
      expect(kept.stderr).toContain('stays open, because it may still settle');
    }
    gateway.solana.mainnet.advanceBlocks(200);
    const over = await runIn(home, 'resume --give-up');
    gateway.solana.provider.faults.reset();
    expect([over.code, over.charges, openPayments(home)], over.stderr).toEqual([0, 0, []]);
    expect(over.stderr).toContain(sentence);
    const { stdout } = await fixture.run('spending', { home });
    expect(JSON.parse(stdout)).toMatchObject({ dayMicros, spent });
  });

  const pay = { ok: false, error: 'payment_required', message: 'Pay.' };
  const busy = { ok: false, error: 'overloaded', message: 'Later.', payment: { state: 'unused' } };
  it.each([
    ['refused by a 402', { status: 402, body: pay }, 6, 0, /\$0\.0005 for \S+ was refused; it counts as spent until/],
    ['open if it was not used', { status: 503, headers, body: busy }, 5, 1, /the payment was not used; run the same/],
    ['open if the upstream refused it', { status: 404, body: busy }, 5, 1, /the payment was not used; run the same/],
  ])('reports a payment as %s', async (_, answer, exit, open, sentence) => {
    const { home } = await interrupted();
    fixture.answerPayments(answer);
    const { code, stderr } = await runIn(home, 'resume');
    expect([code, openPayments(home).length]).toEqual([exit, open]);
    expect(stderr).toMatch(sentence);
  });
});

describe('X22 an own wallet without money', () => {
  const UNREADABLE = { getMultipleAccounts: { code: -32_005, message: 'Too many requests.' } };
  const ledgerOf = (home: string): string => join(stateOf(home), 'spending.jsonl');

  /** A user with a keypair file, without money. */
  function newPoorUser() {
    const home = fixture.newHome();
    const file = join(fixture.folder, `${randomUUID()}.json`);
    const keypair = newKeypair();
    writeFileSync(file, JSON.stringify([...keypair]));
    const { address } = signerFromBytes(keypair);
    return { home, address, pay: () => runIn(home, `${PAYING} --keypair ${file}`) };
  }
  afterEach(() => fixture.gateway.solana.mainnet.faults.reset());

  it('X22 signs and records nothing, and names the amount and the address to fund', async () => {
    const { home, address, pay } = newPoorUser();
    const sent = fixture.payments();
    const { code, stdout, stderr, charges } = await pay();
    expect([code, stdout, charges, fixture.payments() - sent], stderr).toEqual([7, '', 0, 0]);
    expect(stderr).toMatch(/the wallet holds \$0\.00: send at least \$0\.0005 in USDC on Solana mainnet to \w+ /);
    expect(stderr).toContain(address);
    expect([existsSync(ledgerOf(home)), openPayments(home)]).toEqual([false, []]);
    await fixture.gateway.solana.mainnet.fundUsdc(address, 500n);
    expect(await pay()).toMatchObject({ code: 0, charges: 1 });
  });

  it('X22 pays again once its refused payment has expired, which no longer counts', async () => {
    const { home, address, pay } = newPoorUser();
    const { mainnet } = fixture.gateway.solana;
    mainnet.faults.refuse = UNREADABLE;
    expect(await pay()).toMatchObject({ code: 6, charges: 0 });
    mainnet.faults.reset();
    await mainnet.fundUsdc(address, 1_000n);
    expect(await pay()).toMatchObject({ code: 6, charges: 0 });
    mainnet.advanceBlocks(200);
    expect(await pay()).toMatchObject({ code: 6, charges: 0 });
    const file = ledgerOf(home);
    const ageBy = (ms: number): void => {
      const older = (_: string, at: string): string => `"at":${Number(at) - ms}`;
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"at":(\d+)/g, older));
    };
    // An hour ahead of this clock, which was set back meanwhile.
    ageBy(-HOUR_MS);
    expect(await pay()).toMatchObject({ code: 0, charges: 1 });
    ageBy(HOUR_MS);
    const { dayMicros, spent } = JSON.parse((await fixture.run('spending', { home })).stdout);
    expect([dayMicros, spent]).toEqual([500, [expect.objectContaining({ step: 'paid' })]]);
  });
});

it('W21 a ledger that cannot be read stops payments and names its file and the remedy; free commands work', async () => {
  const text = 'null\n';
  const home = fixture.newHome();
  const file = join(stateOf(home), 'spending.jsonl');
  mkdirSync(stateOf(home), { recursive: true });
  writeFileSync(file, text);
  const before = [fixture.transfers(), fixture.payments()];
  for (const typed of [PAYING, 'spending']) {
    const { code, stdout, stderr } = await fixture.run(typed, { home });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${file} cannot be read (line `);
    expect(stderr).toContain('restore it from a copy, or move it away');
  }
  expect([fixture.transfers(), fixture.payments()]).toEqual(before);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect((await fixture.run('price solana', { home })).code).toBe(0);
});

describe('nothing is signed', { timeout: MAX_WAIT_MS }, () => {
  const signatures = () =>
    fixture.proxy.exchanges.filter(({ asked }) => asked['payment-signature'] ?? asked['sign-in-with-x']);

  /** Runs a command and expects no signature, no call to the chain and no held amount. */
  async function signsNothing(typed: string): Promise<Outcome> {
    const home = fixture.newHome();
    const counts = () => [signatures().length, fixture.gateway.solana.mainnet.calls.length, fixture.transfers()];
    const before = counts();
    const outcome = await fixture.run(typed, { home });
    expect([counts(), openPayments(home)]).toEqual([before, []]);
    const { stdout } = await fixture.run('spending', { home });
    expect(JSON.parse(stdout)).toMatchObject({ allMicros: 0, spent: [] });
    return outcome;
  }

  it('by quote, which does not read the wallet', async () => {
    const { code, stdout, stderr } = await signsNothing(`quote balances ${WALLET} --keypair none.json`);
    expect([code, stderr]).toEqual([0, '']);
    const { payTo } = fixture.gateway.solana as { payTo: string };
    expect(JSON.parse(stdout)).toMatchObject({ priceUsd: '0.0005', listedUsd: '0.0005', payTo });
    const free = await signsNothing('quote price solana');
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
    const { code, stdout, stderr } = await signsNothing(`balances ${WALLET}`);
    expect([code, JSON.parse(stdout).error]).toEqual([1, 'payment_required']);
    expect(stderr).toContain('nothing was paid; add --pay to pay, or run quote to see the price\n');
  });
});

it('a command stops quietly when its reader closes the pipe', async () => {
  const env = fixture.environment(fixture.newHome());
  const { child, ended } = startCommand(node(MAIN, 'assets/solana/tickers'), { env });
  child.stdout?.destroy();
  const { code, stderr } = await ended;
  expect([0, null]).toContain(code);
  expect(stderr).not.toContain('EPIPE');
});
