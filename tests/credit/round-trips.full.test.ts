import { HEADERS } from '@asset-gateway/protocol';
import { beforeAll, expect, it } from 'vitest';
import { inSuite } from '../kit/in-suite.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { isFull } from '../kit/rounds.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { callOf, headerOf, send } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { openCreditedWallet, paymentOf, spendingHeader, startCreditGateway } from './gateway.ts';

const CALLS = isFull ? 8 : 4;
const [PRICE, BUNDLE] = [5, 50_000];
const CALL = callOf('rpc.mainnet.helius.getBalance');

postgresSuite('the round trips to the database before a response', () => {
  const database = inSuite(openPostgresDatabase);
  const proxy = inSuite(() => startTcpProxy(Number(new URL(database.url).port)));
  const gateway = inSuite(() => {
    const url = new URL(database.url);
    url.port = String(proxy.port);
    return startCreditGateway({}, { DATABASE_URL: url.href });
  });
  let wallet: Wallet;
  /** Queries sent before a reply arrives are one round trip. */
  let trips: string[] = [];

  beforeAll(async () => {
    wallet = await openCreditedWallet(gateway);
    let isAnswered = true;
    proxy.overhear = (asked) => {
      if (isAnswered) trips.push(String(asked));
      else trips.push(`${trips.pop()}${asked}`);
      isAnswered = false;
    };
    proxy.meddle = (reply) => {
      isAnswered = true;
      return reply;
    };
  });

  /** How many there are up to the one that writes an entry of this kind, which is the last one. */
  async function tripsUntil(kind: 'settlement' | 'debit', pay: () => Promise<Record<string, string>>): Promise<number> {
    const seen: string[][] = [];
    while (seen.length < CALLS) {
      const headers = await pay();
      trips = [];
      const { status } = await send(gateway, CALL, headers);
      // On a busy machine a reply of PostgreSQL may be late.
      if (status === 503) continue;
      expect(status).toBe(200);
      seen.push([...trips]);
    }
    // The node's own queries add to some.
    const [fewest = []] = seen.sort((one, other) => one.length - other.length);
    // A parameter follows its length.
    const parameter = `\0\0\0${String.fromCharCode(kind.length)}${kind}`;
    const count = fewest.findIndex((asked) => asked.includes(parameter)) + 1;
    expect(fewest).toHaveLength(count);
    return count;
  }

  it('are two for a debit by signature', async () => {
    const sign = async () => ({ [HEADERS.signIn]: await spendingHeader(gateway, CALL, wallet.signIn) });
    expect(await tripsUntil('debit', sign)).toBe(2);
  });

  it('are three for a payment that credit covers', async () => {
    const pay = async () => ({ [HEADERS.payment]: headerOf(await paymentOf(gateway, CALL, wallet, PRICE)) });
    expect(await tripsUntil('debit', pay)).toBe(3);
  });

  it.each([PRICE, BUNDLE])('are at most five for a purchase of %d', async (amount) => {
    const pay = async () => {
      const poor = await openWallet(gateway.solana);
      return { [HEADERS.payment]: headerOf(await paymentOf(gateway, CALL, poor, amount)) };
    };
    expect(await tripsUntil('settlement', pay)).toBeLessThanOrEqual(5);
  });
});
