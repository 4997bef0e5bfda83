import { NETWORKS } from '@asset-gateway/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as budgetScripts from '../../packages/gateway/src/budget/redis-scripts.ts';
import { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import type { Admit, Budget, NonceUse, Room } from '../../packages/gateway/src/budget/store.ts';
import { Accounts } from '../../packages/gateway/src/credit/accounts.ts';
import { accountName, debitName } from '../../packages/gateway/src/credit/debit.ts';
import { creditGrants } from '../../packages/gateway/src/credit/grants.ts';
import { payerName } from '../../packages/gateway/src/payments/documents.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { Steps } from '../../packages/gateway/src/payments/steps.ts';
import { RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { RedisFees } from '../../packages/gateway/src/payments/store/redis-fees.ts';
import * as paymentScripts from '../../packages/gateway/src/payments/store/redis-scripts.ts';
import { paymentEntries } from '../../packages/gateway/src/sales/payment-entries.ts';
import { RedisBooks } from '../../packages/gateway/src/sales/redis-books.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { newPayment, REFUSED, SETTLED } from '../payments/forge-records.ts';
import { NO_ROOM, ROOM } from '../stores/room.ts';
import { expectAllRun, expectLives, LIVES, readLives, type Step } from './lives.ts';

/** What the scripts take for the time, so that it does not go on between a question and its key. */
let nowSeconds = 1_790_000_000;
const clock = () => nowSeconds * 1000;

const budget: Budget = { key: 'k', limit: 2, windowMs: 60_000, inFlightMs: 10_000, lateMs: 5_000 };
const charged: Budget = { ...budget, key: 'c', limit: 1 };
const share = { group: 'address:192.0.2.0/24', wallet: 'W' };
const brief: Budget = { key: 'brief', limit: 1, windowMs: 2_000, inFlightMs: 0 };

describe('the lives of keys in docs/redis.md', () => {
  it('are those that are tested here', () => {
    const tested = Object.entries(LIVES).map(([key, lives]) => [key, Object.values(lives)]);
    expect(readLives()).toEqual(Object.fromEntries(tested));
  });
});

redisSuite('on Redis every key that a step leaves lives as long as it should', () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  beforeEach(async () => {
    redis = await startRedis();
    connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
  });
  afterEach(async () => {
    connection.close();
    await redis.stop();
  });

  it('R11 R6 in budgets, used nonces too', async () => {
    const store = new RedisStore(connection, clock);
    await store.readEpoch();
    const nonceOf = (nonce: string, ageSeconds: number): NonceUse => {
      return { nonce, issuedAtSeconds: nowSeconds - ageSeconds, epoch: store.epoch() ?? '' };
    };
    const [young, old, early] = [nonceOf('young', 0), nonceOf('old', 299), nonceOf('early', -30)];
    const answered = async (of: Budget, owner: string, more: Partial<Admit> = {}) =>
      (await store.admit({ budget: of, owner, room: ROOM, ...more })).kind;
    const slotOf = (of: Budget, owner: string) => redis.command('ZSCORE', `{gw:budgets}:slots:${of.key}`, owner);
    const complete = async (of: Budget, owner: string) => {
      const before = await slotOf(of, owner);
      await redis.command('ZADD', `{gw:budgets}:slots:${of.key}`, '9e15', owner);
      store.complete(of, owner);
      await expect.poll(() => slotOf(of, owner)).not.toBe('9000000000000000');
      return before;
    };
    const { held } = LIVES.slots;
    const { used } = LIVES.nonce;
    const asked: boolean[] = [];
    const closing: Room = {
      /** Free when it is asked about, and not any more when Redis has answered. */
      get isFree() {
        return asked.push(true) === 1;
      },
      take: () => undefined,
    };
    const steps: readonly Step[] = [
      { does: 'read the epoch', run: () => store.readEpoch(), sets: { state: LIVES.state.always } },
      { does: 'ask for the policy', run: () => store.mayEvict() },
      {
        does: 'admit',
        run: async () => expect(await answered(budget, 'one', { nonce: young })).toBe('admitted'),
        sets: { 'slots:k': held, 'limits:k': held, 'nonce:young': used },
      },
      {
        does: 'admit with a nonce that is nearly too old',
        run: async () => expect(await answered(budget, 'two', { nonce: old })).toBe('admitted'),
        sets: { 'slots:k': held, 'limits:k': held, 'nonce:old': used - 299_000 },
      },
      {
        does: 'refuse for want of a slot',
        run: async () => expect(await answered(budget, 'three', { nonce: early })).toBe('limited'),
        sets: { 'limits:k': held },
      },
      {
        does: 'refuse a replay',
        run: async () => expect(await answered(budget, 'four', { nonce: old })).toBe('nonce_used'),
      },
      {
        does: 'burn without a slot a nonce of a clock that is ahead',
        run: async () => expect(await store.burn(early, 'me')).toBe('burnt'),
        sets: { 'nonce:early': used + 30_000 },
      },
      { does: 'complete', run: () => complete(budget, 'one') },
      {
        does: 'charge a slot to a share',
        run: async () => expect(await answered(charged, 'one', { share })).toBe('admitted'),
        sets: Object.fromEntries(['slots:c', 'limits:c', 'holders:c', 'counts:c'].map((key) => [key, held])),
      },
      {
        does: 'refuse another slot of that share',
        run: async () => expect(await answered(charged, 'two', { share })).toBe('limited'),
        sets: { 'limits:c': held },
      },
      {
        does: 'let the charged slot expire',
        run: async () => {
          await redis.command('ZADD', '{gw:budgets}:slots:c', '1', 'one');
          expect(await answered(charged, 'three', { room: NO_ROOM })).toBe('crowded');
        },
        sets: { 'limits:c': held },
        ends: ['slots:c', 'holders:c', 'counts:c'],
      },
      {
        does: 'admit to a brief budget',
        run: async () => expect(await answered(brief, 'one')).toBe('admitted'),
        sets: { 'slots:brief': 2_000, 'limits:brief': 2_000 },
      },
      { does: 'complete there', run: () => complete(brief, 'one'), sets: { 'slots:brief': 2_000 } },
      {
        does: 'give back',
        run: async () => {
          const nonce = nonceOf('returned', 0);
          expect(await answered({ ...budget, key: 'wide' }, 'one', { nonce, room: closing })).toBe('crowded');
        },
        sets: { 'limits:wide': held },
      },
      { does: 'pause', run: () => store.pause(budget, 60_000), sets: { 'pause:k': 60_000 } },
    ];
    await expectLives(redis, 'budgets', steps);
    store.close();
    await expectAllRun(redis, budgetScripts);
  });

  it('P7 in payments', async () => {
    const documents = new RedisDocuments(connection, { clock });
    const steps = new Steps(documents);
    const payments = new Payments(documents, [paymentEntries]);
    const books = new RedisBooks(connection, clock);
    const sold = { network: NETWORKS.mainnet, requirement: '{"amount":"5"}' };
    const [bought, failed, other] = [newPayment(sold), newPayment(sold), newPayment(sold)];
    const { payer, requestHash } = failed;
    const [twin, late] = [newPayment({ ...sold, payer, requestHash }), newPayment({ ...sold, payer, requestHash })];
    const { record, answer, due, signature, payer: ofPayer } = LIVES;
    const attempt = { answer: '"text"', signature: 'signature', height: 1 };
    const named = ({ key, payer, requestHash }: typeof bought) => ({
      record: `record:${key}`,
      answer: `answer:${key}`,
      payer: payerName(NETWORKS.mainnet, payer),
      due: `due:${payer}:${requestHash}`,
    });
    const [a, b, c, d] = [named(bought), named(failed), named(twin), named(late)];
    const filled = { open: LIVES.open.filled, answers: LIVES.answers.filled, sizes: LIVES.sizes.filled };
    const renew = () => steps.take(bought, { kind: 'renewed', owner: bought.owner });
    const run: readonly Step[] = [
      {
        does: 'reserve',
        run: () => payments.reserve(bought),
        sets: { state: LIVES.state.always, [a.record]: record.reserved, [a.payer]: ofPayer.new },
      },
      {
        does: 'find and look',
        run: async () => {
          await payments.find(bought.key);
          await books.read({ sinceMs: 0 }, 1);
          await books.openPayments();
          await payments.answer(bought.key);
          await payments.calls(bought.key);
          await payments.owed(bought.payer, bought.requestHash);
          await payments.isKnownPayer(bought.payer);
          await payments.open();
          await documents.owed();
        },
      },
      {
        does: 'call',
        run: () => payments.called(bought.key),
        sets: { [a.payer]: ofPayer.new },
      },
      { does: 'give a sign of life while it is reserved', run: renew, sets: { [a.record]: record.reserved } },
      {
        does: 'begin to settle',
        run: () => payments.settling(bought.key, bought.owner, attempt),
        sets: { [a.record]: record.open, [a.answer]: answer.open, [a.due]: due.open, ...filled },
      },
      { does: 'give a sign of life while it is settling', run: renew },
      { does: 'lose sight of it', run: () => payments.unresolved(bought.key), sets: { [a.payer]: ofPayer.new } },
      { does: 'list what is open', run: () => payments.open() },
      {
        does: 'settle',
        run: () => payments.resolve(bought.key, SETTLED),
        sets: {
          [a.record]: record.settled,
          [a.answer]: answer.concluded,
          [a.due]: due.settled,
          [`signature:${SETTLED.signature}`]: signature.settled,
          [a.payer]: ofPayer.paid,
          journal: LIVES.journal.filled,
        },
        ends: ['open'],
      },
      {
        does: 'keep its answer again',
        run: () => payments.keep(bought.key, '"again"'),
        sets: { [a.answer]: answer.concluded },
      },
      {
        does: 'deliver',
        run: () => payments.delivered(bought.key),
        sets: { [a.record]: record.settled },
        ends: [a.due],
      },
      {
        does: 'begin another one',
        run: async () => {
          await payments.reserve(failed);
          await payments.called(failed.key);
          await payments.settling(failed.key, failed.owner, attempt);
        },
        sets: {
          [b.record]: record.open,
          [b.answer]: answer.open,
          [b.due]: due.open,
          [b.payer]: ofPayer.new,
          open: filled.open,
        },
      },
      {
        does: 'adopt one of the same payer for the same request',
        run: () => payments.adopt(twin, 'found'),
        sets: { [c.record]: record.settled, 'signature:found': signature.settled, [c.payer]: ofPayer.paid },
      },
      {
        does: 'refuse the open one',
        run: () => payments.resolve(failed.key, REFUSED),
        sets: {
          [b.record]: record.refused,
          [b.answer]: answer.concluded,
          [b.due]: due.settled,
          [b.payer]: ofPayer.paid,
        },
        ends: ['open'],
      },
      {
        does: 'reserve and take back',
        run: async () => {
          await payments.reserve(other);
          await payments.release(other.key, other.owner);
        },
        sets: { [named(other).payer]: ofPayer.new },
      },
      {
        does: 'begin to settle and take back',
        run: async () => {
          await payments.reserve(other);
          await payments.settling(other.key, other.owner, attempt);
          await payments.withdraw(other.key, other.owner);
        },
        sets: { [named(other).payer]: ofPayer.new },
      },
      {
        does: 'begin another one for the same request when nothing is owed any more',
        run: async () => {
          nowSeconds += 601;
          await payments.reserve(late);
          await payments.settling(late.key, late.owner, attempt);
        },
        sets: {
          [d.record]: record.open,
          [d.answer]: answer.open,
          [d.due]: due.open,
          [d.payer]: ofPayer.paid,
          open: filled.open,
        },
      },
    ];
    await expectLives(redis, 'purchases', run);
    payments.close();
    steps.close();
    await expectAllRun(redis, paymentScripts);
  });

  it('in credit', async () => {
    const documents = new RedisDocuments(connection, { clock });
    const payments = new Payments(documents, [creditGrants(clock)]);
    const accounts = new Accounts(documents);
    const holder = { network: NETWORKS.mainnet, wallet: 'wallet' };
    const bundle = newPayment({
      network: holder.network,
      payer: holder.wallet,
      creditMicros: 50_000,
      requirement: '{"amount":"50005"}',
    });
    const common = { ...holder, micros: 5, route: 'route', requestHash: 'request', owner: 'me', requestId: 'id' };
    const signed = { ...common, id: 'signed', by: 'signature' } as const;
    const paid = { ...common, id: 'paid', by: 'payment', memo: 'memo' } as const;
    const { account, debit, covered, answer } = LIVES;
    const name = accountName(holder);
    const ofBundle = {
      [`record:${bundle.key}`]: LIVES.record.settled,
      [`answer:${bundle.key}`]: answer.concluded,
      [`due:${bundle.payer}:${bundle.requestHash}`]: LIVES.due.settled,
      [payerName(bundle.network, bundle.payer)]: LIVES.payer.paid,
      [`signature:${SETTLED.signature}`]: LIVES.signature.settled,
    };
    const lists = { answers: LIVES.answers.filled, sizes: LIVES.sizes.filled, journal: LIVES.journal.filled };
    await expectLives(redis, 'purchases', [
      {
        does: 'begin to buy a bundle',
        run: () => accounts.startPurchase(holder, { key: bundle.key, micros: 50_000 }, { limitMicros: 50_000 }),
        sets: { state: LIVES.state.always, [name]: account.buying },
      },
      {
        does: 'buy a bundle',
        run: async () => {
          await payments.reserve(bundle);
          await payments.called(bundle.key);
          await payments.settling(bundle.key, bundle.owner, { answer: '"text"', signature: 'signature', height: 1 });
          await payments.resolve(bundle.key, SETTLED);
        },
        sets: { state: LIVES.state.always, [name]: account.credited, ...ofBundle, ...lists },
      },
      {
        does: 'hold',
        run: async () => expect(await accounts.hold(signed)).toBe('held'),
        sets: { [debitName('signed')]: debit.held },
      },
      { does: 'release', run: () => accounts.release(signed, false), ends: [debitName('signed')] },
      {
        does: 'hold and capture',
        run: async () => {
          await accounts.hold(signed);
          expect(await accounts.capture(signed, '"answer"')).toMatchObject({ spentMicros: 5 });
        },
        sets: { [debitName('signed')]: debit.captured, 'answer:signed': answer.concluded },
      },
      { does: 'deliver', run: () => accounts.delivered(signed) },
      {
        does: 'spend in place of a payment',
        run: async () => {
          await accounts.hold(paid);
          expect(await accounts.capture(paid, '"answer"')).toMatchObject({ spentMicros: 10 });
        },
        sets: {
          [debitName('paid')]: debit.captured,
          'answer:paid': answer.concluded,
          'covered:paid': covered.watched,
          covered: LIVES.open.filled,
        },
      },
    ]);
    payments.close();
  });

  it('P12 in fees', async () => {
    const fees = new RedisFees(connection, clock);
    const { until, fees: all, new: fromNewPayers, spent } = LIVES;
    const held = { 'until:payer': until.spent, 'fees:payer': all.spent, 'new:payer': fromNewPayers.spent };
    const sent = { ...held, 'spent:payer': spent.spent };
    const [feePayer, poor] = [
      { feePayer: 'payer', limit: 10 },
      { feePayer: 'poor', limit: 1 },
    ];
    const fee = { key: 'payment', lamports: 5, isNewPayer: true };
    await expectLives(redis, 'fees', [
      { does: 'look', run: () => fees.fits(poor, fee), sets: { state: LIVES.state.always } },
      { does: 'refuse', run: () => fees.hold(poor, fee) },
      { does: 'hold', run: () => fees.hold(feePayer, fee), sets: held },
      { does: 'release', run: () => fees.release('payer', fee.key), ends: Object.keys(held) },
      { does: 'hold again', run: () => fees.hold(feePayer, fee), sets: held },
      { does: 'spend', run: () => fees.spend(feePayer, fee), sets: sent },
      { does: 'hold what is spent', run: () => fees.hold(feePayer, fee) },
      { does: 'release what is spent', run: () => fees.release('payer', fee.key) },
      { does: 'refuse another one', run: () => fees.hold(feePayer, { ...fee, key: 'another', lamports: 6 }) },
      { does: 'settle', run: () => fees.settle('payer', fee.key), ends: ['new:payer'] },
      {
        does: 'expire',
        run: () => fees.expire('payer', fee.key),
        ends: ['until:payer', 'fees:payer', 'spent:payer'],
      },
    ]);
  });
});
