import { newKeypair } from '@asset-gateway/client/node';
import { memoryLedger, type PayingWallet, paymentFor } from '@asset-gateway/client/pay';
import { HEADERS } from '@asset-gateway/protocol';
import {
  address,
  getTransactionDecoder,
  getTransactionEncoder,
  type Transaction,
  type TransactionModifyingSigner,
} from '@solana/kit';
import bs58 from 'bs58';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { startEverything } from '../discovery/everything.ts';
import { inSuite } from '../kit/in-suite.ts';
import { addressOf, type Draft, draftOf, signed, signer, writable } from '../payments/drafts.ts';
import { openMarket } from '../payments/forge.ts';
import {
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
  removed,
  setData,
  TRANSFER,
  u32,
  u64,
} from '../payments/forgeries.ts';
import { openCustomer } from './kit.ts';
import { requirement } from './offers.ts';
import { ACCOUNT, asks, fails, openSeller } from './seller.ts';
import { changingWallet, standardWallet } from './standard-wallet.ts';

const { keypair, wallet, getBalance, payments, answerWith } = await openSeller();
const stranger = addressOf(newKeypair());
const PRICE_MICROS = 5;
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const CALLS_LIGHTHOUSE = `it calls ${TOKEN}, ${PROGRAMS.lighthouse}`;

afterEach(() => vi.restoreAllMocks());

/** A wallet that changes each transaction and signs the change. */
const changing = (change: DraftChange) => changingWallet(keypair, change);

/** The same, as a signer of `@solana/kit`. */
async function kitSigner(change: DraftChange): Promise<TransactionModifyingSigner> {
  const modified = async (transaction: Transaction) => {
    const draft = draftOf(new Uint8Array(getTransactionEncoder().encode(transaction)));
    await change(draft);
    return { ...transaction, ...getTransactionDecoder().decode(signed(draft, [keypair])) };
  };
  const modifyAndSignTransactions = async (transactions: readonly Transaction[]) =>
    (await Promise.all(transactions.map(modified))) as never;
  return { address: address(wallet.address), modifyAndSignTransactions };
}

/** A check of Lighthouse, by default of an account's state, put in at a position. */
const guard = (position: number, accounts: number[] = [PAYER], kind = 5): DraftChange =>
  guarded(position, accounts, [kind, 0]);

/** The price of a compute unit in micro-lamports. A payment asks for 20,000 units. */
const price = (microLamports: bigint): DraftChange => setData(PRICE, [3, ...u64(microLamports)]);
const limit = (units: number): DraftChange => setData(LIMIT, [2, ...u32(units)]);
const together =
  (...changes: readonly DraftChange[]): DraftChange =>
  (draft) => {
    for (const change of changes) change(draft);
  };

/** The transaction of the payment that was sent. */
const sentTransaction = (): Draft => {
  const { payload } = JSON.parse(Buffer.from(String(payments()[0]), 'base64').toString());
  return draftOf(Buffer.from(payload.transaction, 'base64'));
};

const ACCEPTED: [string, DraftChange, object?][] = [
  ['adds a guard after the memo', guard(4)],
  ['adds guards before it, one of the fee payer', together(guard(2, [FEE_PAYER]), guard(2), guard(0), guard(7))],
  ['raises the price of compute units', price(100_000n)],
  ['raises the fee to 20,000 lamports', price(500_000n)],
  ['raises the limit to 400,000 compute units', limit(400_000)],
  ['raises the fee to what the 402 allows', price(2_000_000n), { maxFeeLamports: 50_000 }],
  ['raises the limit to what the 402 allows', limit(500_000), { maxComputeUnits: 500_000 }],
];

describe('X24 the client sends the transaction that the wallet returned', () => {
  it.each<(typeof ACCEPTED)[number]>(ACCEPTED)('X24 if it %s', async (_, change, extra) => {
    answerWith({ asked: asks(requirement({}, extra)) });
    const returned: Draft[] = [];
    await getBalance({ wallet: await changing(together(change, (draft) => returned.push(draft))) });
    expect([payments().length, returned.length]).toEqual([1, 1]);
    expect({ ...sentTransaction() }).toEqual(returned[0]);
  });

  it('X24 also if it is a signer of kit', async () => {
    answerWith();
    await getBalance({ wallet: await kitSigner(together(guard(4), price(100_000n))) });
    expect(sentTransaction().instructions).toHaveLength(5);
  });

  it('X24 also in a browser without Ed25519, which cannot check the signature', async () => {
    answerWith();
    const made = await changing(guard(4));
    const unknown = new DOMException('Unrecognized name', 'NotSupportedError');
    const importKey = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(unknown);
    await getBalance({ wallet: made });
    expect(importKey).toHaveBeenCalled();
    expect(sentTransaction().instructions).toHaveLength(5);
  });
});

/** Makes the payment a transfer to another token account. */
async function payStranger(draft: Draft): Promise<void> {
  const [, mint = ''] = at(draft, TRANSFER).accountIndices.map((index) => draft.staticAccounts[index]);
  const account = writable(draft, await associatedAddress(stranger, mint));
  at(draft, TRANSFER).accountIndices[2] = account;
}

const payTwice: DraftChange = (draft) => draft.instructions.push(structuredClone(at(draft, TRANSFER)));
const sendSol: DraftChange = (draft) =>
  draft.instructions.push(
    instruction(draft, PROGRAMS.system, [PAYER, writable(draft, stranger)], [2, 0, 0, 0, ...u64(1n)]),
  );
const setBlockhash: DraftChange = (draft) => Object.assign(draft, { lifetimeToken: stranger });
const setFeePayer: DraftChange = (draft) => Object.assign(draft.staticAccounts, { [FEE_PAYER]: stranger });
const addMemo: DraftChange = (draft) => draft.instructions.push(instruction(draft, PROGRAMS.memo, [], [104, 105]));
const addKey: DraftChange = (draft) =>
  Object.assign(draft, {
    addressTableLookups: [{ lookupTableAddress: stranger, writableIndexes: [0], readonlyIndexes: [] }],
  });

const REFUSED: [string, DraftChange, string, object?][] = [
  ['replaces the payee', payStranger, 'it transfers another amount, or between other accounts'],
  ['raises the amount', setData(TRANSFER, [12, ...u64(6n), 6]), 'it transfers another amount'],
  ['adds a second transfer', payTwice, `instead of making one transfer, it calls ${TOKEN}, ${TOKEN}`],
  ['takes the transfer out', removed(TRANSFER, 1), 'instead of making one transfer, it calls nothing'],
  ['adds a transfer of SOL', sendSol, `it calls ${TOKEN}, ${PROGRAMS.system}`],
  ['returns another blockhash', setBlockhash, 'its blockhash was replaced'],
  ['takes the memo out', removed(MEMO, 1), 'its memo is not the one that the gateway asked for'],
  ['writes another memo', setData(MEMO, [104, 105]), 'its memo is not the one that the gateway asked for'],
  ['adds a memo', addMemo, 'its memo is not the one that the gateway asked for'],
  ['replaces the fee payer', setFeePayer, "its signers are not the gateway's fee payer and your wallet"],
  ['adds a signer', (draft) => signer(draft, stranger), "its signers are not the gateway's fee payer and your wallet"],
  ['uses a lookup table', addKey, 'it is no version 0 transaction'],
  ['adds guards beyond a packet', together(...Array.from({ length: 170 }, () => guard(4))), 'at most 1,232 bytes'],
  ['lets a guard write memory', guard(4, [PAYER], 0), CALLS_LIGHTHOUSE],
  ['lets a guard ask for the time', guard(4, [PAYER], 15), CALLS_LIGHTHOUSE],
  ['lets a guard call a program', guard(4, [PAYER], 16), CALLS_LIGHTHOUSE],
  [
    'adds an empty guard',
    (draft) => draft.instructions.push(instruction(draft, PROGRAMS.lighthouse)),
    CALLS_LIGHTHOUSE,
  ],
  ['raises the fee above 20,000 lamports', price(500_001n), 'its fee is 20001 lamports of at most 20000'],
  ['raises the price beyond all numbers', price(2n ** 64n - 1n), 'its fee is '],
  ['raises the limit above 400,000', limit(400_001), 'it asks for 400001 compute units of at most 400000'],
  ['bids above the 402', price(100_001n), 'its fee is 12001 lamports of at most 12000', { maxFeeLamports: 12_000 }],
  ['raises the limit above the 402', limit(20_001), 'of at most 20000', { maxComputeUnits: 20_000 }],
  ['raises the fee above a limit that is none', price(500_001n), 'of at most 20000', { maxFeeLamports: '50000' }],
  ['takes the price out', removed(PRICE, 1), 'it does not set its compute units and their price once each'],
  ['sets the price twice', (draft) => draft.instructions.push(at(draft, PRICE)), 'their price once each'],
];

/** A payment fails with this code and message; nothing is sent, and nothing counts against the caps. */
async function isRefused(made: PayingWallet, code: string, reason: string, extra: object = {}): Promise<void> {
  answerWith({ asked: asks(requirement({}, extra)) });
  const [ledger, caps] = [memoryLedger(), { inAllUsd: PRICE_MICROS / 1e6 }];
  const recorded = vi.spyOn(ledger, 'signed');
  await fails(getBalance({ wallet: made, ledger, caps }), code, { message: expect.stringContaining(reason) });
  expect([payments(), recorded.mock.calls, await ledger.earlier()]).toEqual([[], [], []]);
  // The cap has room for one payment, and the request is not blocked.
  await getBalance({ ledger, caps });
  expect(payments()).toHaveLength(1);
}

describe('X24 the client names the change that it rejects, and sends nothing', () => {
  it.each<(typeof REFUSED)[number]>(REFUSED)('X24 if the wallet %s', async (_, change, reason, extra) => {
    await isRefused(await changing(change), 'payment_mismatch', reason, extra);
  });

  it('X24 if a signer of kit replaces the payee', async () => {
    await isRefused(await kitSigner(payStranger), 'payment_mismatch', 'it transfers another amount');
  });

  it.each<[string, (transaction: Uint8Array) => unknown, string]>([
    ['garbage', () => Uint8Array.of(1, 2, 3), 'A wallet returned no transaction'],
    ['nothing', () => undefined, 'A wallet returned no transaction'],
    ['a transaction cut short', (given) => given.subarray(0, 100), 'A wallet returned no transaction'],
    ['an unsigned transaction', (given) => given, 'did not sign the payment that it returned'],
    ['a signature of another transaction', (given) => signedOther(given), 'did not sign the payment that it returned'],
  ])('X24 if the wallet returns %s', async (_, answer, reason) => {
    await isRefused(await standardWallet(keypair, answer as never), 'not_signed', reason);
  });

  it('X24 if bytes follow the message', async () => {
    const made = await standardWallet(keypair, (given) => {
      const wire = signed(draftOf(given), [keypair]);
      return Buffer.concat([wire, Buffer.of(0)]);
    });
    await isRefused(made, 'payment_mismatch', 'it is no version 0 transaction');
  });
});

/** The given transaction with the signature of one that differs. */
function signedOther(given: Uint8Array): Uint8Array {
  const other = draftOf(given);
  price(2n)(other);
  const message = given.subarray(1 + 2 * 64);
  return Buffer.concat([signed(other, [keypair]).subarray(0, 1 + 2 * 64), message]);
}

describe('X24 the gateway accepts the payment of such a wallet', () => {
  const gateway = inSuite(() => startEverything());
  const guards = together(guarded(2, [PAYER]), guarded(2, [FEE_PAYER]), guarded(2, [PAYER]), guarded(7, [FEE_PAYER]));

  it.each<[string, DraftChange, fee: bigint, instructions: number]>([
    ['a fee of 12,000 lamports in all', price(100_000n), 12_000n, 4],
    ['eight instructions: guards before the transfer and behind it, also of the fee payer', guards, 10_001n, 8],
    ['both', together(guards, price(100_000n)), 12_000n, 8],
  ])('X24 with %s, and settles it', async (_, change, fee, instructions) => {
    const { mainnet, variables } = gateway.solana;
    const feePayer = addressOf(bs58.decode(variables.FEE_PAYER_KEYPAIR ?? ''));
    const customer = newKeypair();
    const returned: Draft[] = [];
    const made = await changingWallet(
      customer,
      together(change, (draft) => returned.push(draft)),
    );
    const { client, transfers } = await openCustomer(gateway, { wallet: made }, customer);
    const before = mainnet.lamports(feePayer);
    const { price: paid, transaction } = await client.rpc.getBalance(ACCOUNT).full();
    expect([paid, transfers().map(({ signature }) => signature)]).toEqual(['0.000005', [transaction]]);
    expect([before - mainnet.lamports(feePayer), returned[0]?.instructions.length]).toEqual([fee, instructions]);
  });

  it('X24 with guards after the transfer, by its check', async () => {
    const market = await openMarket();
    afterAll(() => market.chain.close());
    const made = await changingWallet(market.payer, together(guard(3), guard(5)));
    const required = market.required;
    const headers = await paymentFor(required, { wallet: made, rpcUrl: market.chain.url });
    const payload = JSON.parse(Buffer.from(headers[HEADERS.payment] ?? '', 'base64').toString());
    expect(draftOf(Buffer.from(payload.payload.transaction, 'base64')).instructions).toHaveLength(6);
    expect(market.read(payload)).toMatchObject({ payer: bs58.encode(market.payer.subarray(32)) });
  });
});
