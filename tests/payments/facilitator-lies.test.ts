import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, newPath } from './fault-buyer.ts';
import { type Home, type Orders, openRemoteFixture, type RemoteFixture } from './fault-facilitator.ts';

const open = stoppedAfterTests(async (orders: { verify?: Orders; settle?: Orders } = {}, home?: Home) => {
  const fixture = await openRemoteFixture({}, home);
  await fixture.order(orders);
  return fixture;
});

const settled = (transaction: unknown): Orders => ({
  does: false,
  answer: { success: true, transaction, network: '' },
});

const LIES: Readonly<Record<string, Orders>> = {
  'an empty signature': settled(''),
  'no signature': settled(undefined),
  'a malformed one': settled('0OIl+/'),
  'one of another length': settled(bs58.encode(randomBytes(63))),
  'an unknown signature': settled(bs58.encode(randomBytes(64))),
  'a number': settled(7),
};

async function expectNeverServed({ url, payment, chain, buyer }: RemoteFixture): Promise<void> {
  for (let call = 0; call < 3; call++) {
    const reply = await ask(url, payment);
    expect([reply.status, reply.code]).toEqual([503, 'settlement_pending']);
    expect(reply.text).not.toContain('"result"');
  }
  chain.advanceBlocks(300);
  expect((await askUntilDecided(url, payment)).status).toBe(402);
  expect(chain.transfers.filter(({ from }) => from === buyer.address)).toHaveLength(0);
}

describe.concurrent('P11 a facilitator that says settled and has not', () => {
  it.each(Object.entries(LIES))('P11 with %s is not believed', async (_, settle) => {
    await expectNeverServed(await open({ settle }));
  });

  it('P11 with the signature of another payment is not believed', async () => {
    const fixture = await open();
    const other = fixture.gateway.url + newPath();
    expect((await ask(other, await fixture.buyer.pay(other))).status).toBe(200);
    const [paid] = fixture.chain.transfers;
    await fixture.order({ settle: settled(paid?.signature) });
    for (let call = 0; call < 3; call++)
      expect((await ask(fixture.url, fixture.payment)).code).toBe('settlement_pending');
    fixture.chain.advanceBlocks(300);
    expect((await askUntilDecided(fixture.url, fixture.payment)).status).toBe(402);
    expect(fixture.chain.transfers).toEqual([paid]);
  });
});

const DOWN: Readonly<Record<string, Orders>> = {
  'P8 answers 500': { status: 500, answer: 'down' },
  'P8 answers 429': { status: 429, answer: 'slow down' },
  'P8 resets': { status: 'reset' },
  'P9 hangs': { hang: true },
  'P9 answers after 6 s': { delayMs: 6_000 },
};

describe.concurrent('P8 a facilitator that cannot be used at verify', () => {
  async function expectUnused({ url, payment, solana }: RemoteFixture, expected: string): Promise<void> {
    const reply = await ask(url, payment);
    expect(`${reply.status} ${reply.code}`).toBe(expected);
    expect(reply.text).toContain('"state":"unused"');
    expect(reply.headers.has('payment-required')).toBe(false);
    expect(solana.provider.arrivals).toHaveLength(0);
  }
  async function expectServed({ url, payment, chain }: RemoteFixture): Promise<void> {
    const reply = await askUntilDecided(url, payment);
    expect([reply.status, reply.isReplayed, chain.transfers.length]).toEqual([200, false, 1]);
  }

  it.each(Object.entries(DOWN))('%s: 503, payment unused, no upstream call; later it buys', async (_, verify) => {
    const fixture = await open({ verify });
    await expectUnused(fixture, '503 facilitator_unavailable');
    await fixture.order({});
    await expectServed(fixture);
  });

  it('P8 is gone: 503, payment unused, no upstream call; restarted, it buys', async () => {
    const fixture = await open({}, 'own process');
    await fixture.crash();
    await expectUnused(fixture, '503 facilitator_unavailable');
    await fixture.restart();
    await expectServed(fixture);
  });

  it.each(['', '<html>', '[]', '{}', '{"isValid":"yes"}', 'null'])('P8 answers %s: 502, unused', async (answer) => {
    const fixture = await open({ verify: { answer } });
    await expectUnused(fixture, '502 facilitator_invalid_response');
    await fixture.order({});
    await expectServed(fixture);
  });
});

const CRLF = '\r\nSet-Cookie: stolen=1\r\n\r\n<script>';

describe.concurrent('P21 line breaks in the answers of a facilitator', () => {
  const SAID: Readonly<Record<string, { verify?: Orders; settle?: Orders }>> = {
    'at verify': { verify: { answer: { isValid: false, invalidReason: CRLF, invalidMessage: CRLF, payer: CRLF } } },
    'in a reason that looks like a code': {
      settle: {
        does: false,
        answer: { success: false, errorReason: `invalid_exact_svm_payload_${CRLF}`, transaction: '', payer: CRLF },
      },
    },
    'in everything at settle': {
      settle: {
        does: false,
        answer: { success: true, errorReason: CRLF, transaction: CRLF, payer: CRLF, network: CRLF },
      },
    },
  };

  it.each(Object.entries(SAID))('P21 %s reach no client', async (_, orders) => {
    const fixture = await open(orders);
    const reply = await ask(fixture.url, fixture.payment);
    expect([402, 503]).toContain(reply.status);
    expect(reply.headers.has('set-cookie')).toBe(false);
    const receipt = Buffer.from(reply.headers.get('payment-response') ?? '', 'base64').toString();
    expect(reply.text + receipt).not.toContain('stolen');
  });
});

describe('P23 the mark of a repeated call', () => {
  it('P23 is the same Idempotency-Key on verify and settle, and another for each payment', async () => {
    const fixture = await open();
    const other = fixture.gateway.url + newPath();
    expect((await ask(fixture.url, fixture.payment)).status).toBe(200);
    expect((await ask(fixture.url, fixture.payment)).status).toBe(200);
    expect((await ask(other, await fixture.buyer.pay(other))).status).toBe(200);
    const calls = (await fixture.calls()).filter(({ method }) => method === 'POST');
    expect(calls.map(({ url }) => url)).toEqual(['/verify', '/settle', '/verify', '/settle']);
    const keys = calls.map(({ idempotencyKey = '' }) => idempotencyKey);
    expect([keys[0], keys[2]]).toEqual([keys[1], keys[3]]);
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => key.length >= 32)).toBe(true);
    expect(calls.every(({ authorization }) => authorization === 'Bearer facilitator')).toBe(true);
  });
});
