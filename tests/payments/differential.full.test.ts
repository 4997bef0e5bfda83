import { createRequire } from 'node:module';
import { join } from 'node:path';
import { address, createKeyPairSignerFromBytes } from '@solana/kit';
import type { PaymentPayload, PaymentRequirements as Requirements } from '@x402/core/types';
import type { FacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as OwnMaker } from '@x402/svm/exact/client';
import { ExactSvmScheme as Verifier } from '@x402/svm/exact/facilitator';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { requirementOf } from '../../packages/gateway/src/payments/read/requirement.ts';
import { readTransaction, readTransfer, type Transfer } from '../../packages/gateway/src/payments/read/transaction.ts';
import { suiteOfPackages } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';
import { standIn } from '../kit/stand-in.ts';
import { LOOKED_AT_MAKERS, MAKING_CLIENTS } from '../official-client/other-clients.ts';
import { addressOf, type Draft, draftOf, messageOf, signatureOver, signed, wireOf } from './drafts.ts';
import { openMarket } from './forge.ts';
import {
  ALL_FORGERIES,
  at,
  type DraftChange,
  FEE_PAYER,
  guarded,
  instruction,
  LIMIT,
  MEMO,
  PAYER,
  PRICE,
  PROGRAMS,
  setData,
  TRANSFER,
  u32,
  u64,
} from './forgeries.ts';

const market = await openMarket();
afterAll(() => market.chain.close());
const { offer, feePayer, payer, genuine } = market;
const ISSUED_MEMO = Buffer.from(at(genuine.draft, MEMO).data).toString();

/** The official verifier's own checks; its simulations all succeed. */
const verifier = new Verifier(
  standIn<FacilitatorSvmSigner>({ getAddresses: () => [address(feePayer)], simulateTransaction: async () => {} }),
);

/** The payer whom the official verifier finds in a payment, or why it refuses it. */
async function officially(wire: Uint8Array, { amount, memo }: Transfer): Promise<string> {
  const accepted = requirementOf({ ...offer, amount }, memo === ISSUED_MEMO ? memo : undefined) as Requirements;
  const payload = { transaction: Buffer.from(wire).toString('base64') };
  const payment = { x402Version: 2, accepted, payload } as PaymentPayload;
  const { isValid, payer: found, invalidReason } = await verifier.verify(payment, accepted);
  return String(isValid ? found : invalidReason);
}

const isGuard = ({ staticAccounts }: Draft, { programAddressIndex, data }: Draft['instructions'][number]): boolean =>
  staticAccounts[programAddressIndex] === PROGRAMS.lighthouse && (data[0] ?? 0) >= 2 && (data[0] ?? 0) <= 14;

/** What the gateway accepts and the official verifier refuses, why, and how to take it out of a payment. */
const DIFFERENCES: Readonly<Record<string, { readonly why: string; takeOut(draft: Draft): void }>> = {
  guards: {
    why: 'Wallets put up to eight assertions of Lighthouse anywhere; the official verifier knows them only behind the transfer.',
    takeOut(draft) {
      draft.instructions = draft.instructions.filter((each) => !isGuard(draft, each));
    },
  },
  price: {
    why: 'What the fee payer pays is bounded; the official verifier bounds the price of one compute unit at 5,000,000 micro-lamports.',
    takeOut(draft) {
      const price = draft.instructions.find(({ data }) => data[0] === 3 && data.length === 9);
      if (price && Buffer.from(price.data).readBigUInt64LE(1) > 5_000_000n) price.data.set(u64(5_000_000n), 1);
    },
  },
};

const WAYS = [[], ['guards'], ['price'], ['guards', 'price']] as const;

/** The differences that explain why the gateway accepts a payment; undefined if it refuses it. Throws if none explain it. */
async function explanationOf(wire: Uint8Array): Promise<readonly string[] | undefined> {
  const transaction = readTransaction(wire);
  // The memo of a challenge binds its fee payer.
  if (transaction?.keys[0] !== offer.feePayer) return undefined;
  const transfer = readTransfer(transaction, offer, nodeCrypto);
  if (typeof transfer === 'string') return undefined;
  const reasons: string[] = [];
  for (const way of WAYS) {
    const draft = draftOf(wire);
    for (const name of way) DIFFERENCES[name]?.takeOut(draft);
    const found = await officially(way.length === 0 ? wire : signed(draft, [payer]), transfer);
    if (found === transfer.payer) return way;
    reasons.push(found);
  }
  throw new Error(`the official verifier refuses it: ${reasons.join(', ')}`);
}

/** Forgeries that only the request or the price makes wrong. */
const OF_ANOTHER_REQUEST = ALL_FORGERIES.filter(
  ({ name, reason }) => reason === 'no_matching_requirements' || name === 'no memo',
);

it.each(ALL_FORGERIES)('P10 no forgery is accepted that the official verifier refuses: $name', async (forgery) => {
  const wire = forgery.make({ ...genuine, draft: draftOf(genuine.wire) }, market);
  expect(await explanationOf(wire)).toEqual(OF_ANOTHER_REQUEST.includes(forgery) ? [] : undefined);
});

const bytesUpTo = (maxLength: number) => fc.uint8Array({ maxLength });
const spot = fc.nat(9);
const keys = fc.array(fc.nat(9), { maxLength: 5 });

/** Numbers around the limits, and others. */
const units = fc.oneof(fc.constantFrom(0, 1, 1_999, 2_000, 20_000, 200_000, 399_999, 400_000, 400_001), fc.nat());
const prices = fc.oneof(
  fc.constantFrom(0n, 1n, 25_000n, 25_001n, 50_001n, 500_000n, 500_001n, 5_000_000n, 5_000_001n, 2n ** 64n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 40n }),
);

const step: fc.Arbitrary<DraftChange> = fc.oneof(
  fc
    .tuple(spot, keys, fc.nat(19), bytesUpTo(20))
    .map(([position, accounts, kind, data]): DraftChange => guarded(position, accounts, [kind, ...data])),
  fc.tuple(spot, keys, bytesUpTo(40)).map(
    ([position, accounts, data]): DraftChange =>
      (draft) =>
        draft.instructions.splice(position, 0, instruction(draft, PROGRAMS.memo, accounts, [...data])),
  ),
  fc.tuple(spot, fc.nat(2)).map(
    ([position, count]): DraftChange =>
      ({ instructions }) =>
        instructions.splice(position, count),
  ),
  fc.tuple(spot, spot, fc.boolean()).map(
    ([from, to, isCopy]): DraftChange =>
      ({ instructions }) => {
        const moved = structuredClone(instructions.slice(from, from + 1));
        if (!isCopy) instructions.splice(from, 1);
        instructions.splice(to, 0, ...moved);
      },
  ),
  fc.tuple(units, prices).map(
    ([most, price]): DraftChange =>
      (draft) => {
        for (const { data } of draft.instructions) {
          if (data[0] === 2 && data.length === 5) data.set(u32(most), 1);
          if (data[0] === 3 && data.length === 9) data.set(u64(price), 1);
        }
      },
  ),
  fc.tuple(spot, fc.nat(12), fc.nat(255)).map(
    ([position, place, value]): DraftChange =>
      ({ instructions }) => {
        const data = instructions[position]?.data;
        if (data && place < data.length) data[place] = value;
      },
  ),
  fc.tuple(spot, fc.nat(4), fc.nat(9), fc.boolean()).map(
    ([position, place, key, isLonger]): DraftChange =>
      ({ instructions }) =>
        instructions[position]?.accountIndices.splice(place, isLonger ? 0 : 1, key),
  ),
  fc.tuple(spot, fc.constantFrom(...Object.values(PROGRAMS))).map(
    ([position, program]): DraftChange =>
      (draft) => {
        const { programAddressIndex } = instruction(draft, program);
        Object.assign(draft.instructions[position] ?? {}, { programAddressIndex });
      },
  ),
  fc.record({ numReadonlySignerAccounts: fc.nat(2), numReadonlyNonSignerAccounts: fc.nat(7) }).map(
    (header): DraftChange =>
      (draft) =>
        Object.assign(draft.header, header),
  ),
);

/** A genuine payment with some of its parts changed, signed by its payer. */
const redrafted = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => {
  const draft = draftOf(genuine.wire);
  for (const change of steps) change(draft);
  return signed(draft, [payer]);
});

/** The same with some of the bytes of its message changed. */
const rewritten = fc
  .array(fc.tuple(fc.nat(500), fc.nat(1), bytesUpTo(1)), { minLength: 1, maxLength: 3 })
  .map((changes) => {
    const message = changes.reduce(
      (made, [place, cut, put]) => Buffer.concat([made.subarray(0, place), put, made.subarray(place + cut)]),
      messageOf(draftOf(genuine.wire)),
    );
    return wireOf([Buffer.alloc(64), signatureOver(message, payer)], message);
  });

it('P10 no mutated payment is accepted that the official verifier refuses', { timeout: 900_000 }, async () => {
  const seen: Record<string, number> = {};
  const check = async (wire: Uint8Array) => {
    const explained = (await explanationOf(wire))?.join(' and ') ?? 'refused';
    seen[explained] = (seen[explained] ?? 0) + 1;
  };
  const anyWire = fc.oneof({ weight: 3, arbitrary: redrafted }, { weight: 1, arbitrary: rewritten });
  await fc.assert(fc.asyncProperty(anyWire, check), { numRuns: isFull ? 60_000 : 600 });
  process.stdout.write(`mutated payments: ${JSON.stringify(seen)}\n`);
  // Both verifiers accept some, they differ on some, and the gateway refuses some.
  expect(Object.keys(seen)).toEqual(expect.arrayContaining(['', 'guards', 'refused']));
});

const cost =
  (most: number, price: bigint): DraftChange =>
  (draft) => {
    setData(LIMIT, [2, ...u32(most)])(draft);
    setData(PRICE, [3, ...u64(price)])(draft);
  };

/** How wallets change what the client has made, as others have reported it. */
const WALLETS: Readonly<Record<string, { readonly change: DraftChange; readonly differences: readonly string[] }>> = {
  'Phantom, one guard': { change: guarded(4, [PAYER]), differences: [] },
  'Solflare, two guards': {
    change: (draft) => [guarded(4, [PAYER])(draft), guarded(5, [2], [9, 0, 0])(draft)],
    differences: [],
  },
  'Phantom, three guards before the transfer and one at the end, about the fee payer': {
    change: (draft) => {
      for (let count = 0; count < 3; count++) guarded(TRANSFER, [FEE_PAYER])(draft);
      guarded(7, [FEE_PAYER])(draft);
    },
    differences: ['guards'],
  },
  'guards before the compute budget': { change: guarded(LIMIT, [PAYER]), differences: ['guards'] },
  'most units': { change: cost(400_000, 25_000n), differences: [] },
  'few units at a high price': { change: cost(1_000, 10_000_000n), differences: ['price'] },
  'few units at a high price behind a guard': {
    change: (draft) => [cost(1_000, 10_000_000n)(draft), guarded(LIMIT, [PAYER])(draft)],
    differences: ['guards', 'price'],
  },
};

/** As many payments as a run makes with each client. */
const MADE = isFull ? 500 : 5;

interface Maker {
  createPaymentPayload(version: number, requirement: unknown): Promise<{ payload: { transaction: string } }>;
}
type MakerClass = new (signer: unknown, config: { readonly rpcUrl: string }) => Maker;

/** Payments that a version of the official client makes. */
async function* madeBy(Made: MakerClass): AsyncGenerator<Buffer> {
  const signer = await createKeyPairSignerFromBytes(payer);
  const maker = new Made(signer, { rpcUrl: market.chain.url });
  const amounts = fc.sample(fc.integer({ min: 1, max: 1_000_000_000 }), MADE);
  for (const amount of amounts) {
    const requirement = requirementOf({ ...offer, amount: String(amount) }, ISSUED_MEMO);
    const { payload } = await maker.createPaymentPayload(2, requirement);
    yield Buffer.from(payload.transaction, 'base64');
  }
}

/** Asserts that the gateway's reader and the official verifier accept payments of a version, with the memo if it copies one. */
async function expectAccepted(Made: MakerClass, copiesMemo: boolean): Promise<void> {
  let made = 0;
  for await (const wire of madeBy(Made)) {
    expect(await explanationOf(wire)).toEqual([]);
    const transaction = readTransaction(wire);
    const transfer = transaction && readTransfer(transaction, offer, nodeCrypto);
    expect(transfer).toMatchObject({ payer: addressOf(payer), memo: copiesMemo ? ISSUED_MEMO : expect.any(String) });
    if (!copiesMemo) expect(transfer).not.toMatchObject({ memo: ISSUED_MEMO });
    made += 1;
  }
  expect(made).toBe(MADE);
}

const LONG = { timeout: 300_000 };
const Own = OwnMaker as unknown as MakerClass;

it('P10 payments of the official client 2.27 are accepted by both', LONG, () => expectAccepted(Own, true));

describe('P10 payments that wallets change', () => {
  it.each(Object.entries(WALLETS))('are accepted, with these differences: %s', LONG, async (_, wallet) => {
    for await (const wire of madeBy(Own)) {
      const draft = draftOf(wire);
      wallet.change(draft);
      expect(await explanationOf(signed(draft, [payer]))).toEqual(wallet.differences);
    }
  });

  it('show every difference of the table', () => {
    const shown = new Set(Object.values(WALLETS).flatMap(({ differences }) => differences));
    expect([...shown].sort()).toEqual(Object.keys(DIFFERENCES).sort());
  });
});

await suiteOfPackages('P10 payments of other versions of the official client', MAKING_CLIENTS, (folder) => {
  it.each(LOOKED_AT_MAKERS)('%s are accepted by both', LONG, (name) => {
    const require = createRequire(join(folder, name, 'package.json'));
    const { ExactSvmScheme } = require('@x402/svm/exact/client') as { ExactSvmScheme: MakerClass };
    return expectAccepted(ExactSvmScheme, Number(name.split('.')[1]) >= 10);
  });
});
