import {
  feeLamports,
  INSTRUCTIONS,
  objectAt,
  PAYMENT_LIMITS,
  PROGRAMS,
  USDC_DECIMALS,
  withoutGuards,
} from '@asset-gateway/protocol/wire';
import type { Address } from '@solana/kit';
import { GatewayError } from './error.ts';
import type { Offer } from './offer.ts';
import { type Instruction, type ReadTransaction, readTransaction } from './read-transaction.ts';

/** A payment that x402's client made. */
export interface Payment {
  /** The requirement that it pays. */
  readonly accepted: unknown;
  /** On Solana: a signed transaction in base64. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The payment that the client asked its wallet to sign. */
export interface ExpectedPayment {
  readonly offer: Offer;
  readonly payer: string;
  /** It bounds how long the payment can settle. */
  readonly blockhash: string;
}

/** The gateway's fee payer and the payer. */
const SIGNERS = 2;
const COMPARED = ['network', 'asset', 'payTo', 'amount'] as const;
const utf8 = new TextEncoder();

/** Returns the associated token account of an owner. */
export async function tokenAccount(owner: string, mint: string): Promise<string> {
  const { getAddressEncoder, getProgramDerivedAddress } = await import('./kit-address.ts');
  const seeds = [owner, PROGRAMS.token, mint].map((each) => getAddressEncoder().encode(each as Address));
  const [account] = await getProgramDerivedAddress({ programAddress: PROGRAMS.associatedToken as Address, seeds });
  return account;
}

/** Returns the approved transfer, which is the only instruction that may move money. */
async function transferOf({ asset, payTo, amount }: Offer, payer: string): Promise<Instruction> {
  const { getU64Encoder } = await import('./kit.ts');
  return {
    program: PROGRAMS.token,
    accounts: [await tokenAccount(payer, asset), asset, await tokenAccount(payTo, asset), payer],
    data: [INSTRUCTIONS.transferChecked, ...getU64Encoder().encode(BigInt(amount)), USDC_DECIMALS],
  };
}

const isSame = (ones: readonly Instruction[], others: readonly Instruction[]): boolean =>
  JSON.stringify(ones) === JSON.stringify(others);

/** Whether the memo is the offer's. If the offer has none, x402 adds a random memo. */
const hasOfferedMemo = ({ memo }: Offer, memos: readonly Instruction[]): boolean =>
  memo === undefined
    ? memos.length <= 1 && memos.every(({ accounts }) => accounts.length === 0)
    : isSame(memos, [{ program: PROGRAMS.memo, accounts: [], data: [...utf8.encode(memo)] }]);

/** Sorts instructions by purpose. */
function sorted({ instructions, signers }: Pick<ReadTransaction, 'instructions' | 'signers'>) {
  const of = (program: string) => instructions.filter((each) => each.program === program);
  const acts = withoutGuards(instructions, signers).filter(
    ({ program }) => program !== PROGRAMS.computeBudget && program !== PROGRAMS.memo,
  );
  return { budget: of(PROGRAMS.computeBudget), memos: of(PROGRAMS.memo), acts };
}

/** Returns a little-endian number. A number that JavaScript cannot represent exactly stays large. */
const numberIn = (bytes: readonly number[]): number => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);

/** Returns the compute units and their price. One instruction sets each of them. */
function costOf(budget: readonly Instruction[]) {
  const set = (kind: number, bytes: number): number => {
    const { data } = budget.find((each) => each.data[0] === kind) ?? { data: [] };
    return data.length === 1 + bytes ? numberIn(data.slice(1)) : Number.NaN;
  };
  const isWhole = budget.length === 2;
  return {
    signatures: SIGNERS,
    computeUnits: isWhole ? set(INSTRUCTIONS.setComputeLimit, 4) : Number.NaN,
    microLamports: set(INSTRUCTIONS.setComputePrice, 8),
  };
}

/** Returns why a transaction costs more than the 402 allows; undefined if it does not. */
function costFault(budget: readonly Instruction[], extra: Readonly<Record<string, unknown>>): string | undefined {
  const allowed = (name: keyof typeof PAYMENT_LIMITS): number =>
    Number.isSafeInteger(extra[name]) ? Number(extra[name]) : PAYMENT_LIMITS[name];
  const cost = costOf(budget);
  const [fee, maxFee, maxUnits] = [feeLamports(cost), allowed('maxFeeLamports'), allowed('maxComputeUnits')];
  if (Number.isNaN(fee)) return 'it does not set its compute units and their price once each';
  if (cost.computeUnits > maxUnits) return `it asks for ${cost.computeUnits} compute units of at most ${maxUnits}`;
  return fee > maxFee ? `its fee is ${fee} lamports of at most ${maxFee}` : undefined;
}

/** Returns how a payment differs from the approved one; undefined if it does not. */
async function differenceOf(
  { accepted }: Payment,
  transaction: ReadTransaction,
  approved: ExpectedPayment,
): Promise<string | undefined> {
  const { offer, payer } = approved;
  const { isPlain, signers, blockhash } = transaction;
  const claimed = objectAt(accepted);
  const extra = objectAt(claimed.extra);
  const { budget, memos, acts } = sorted(transaction);
  const programs = acts.map(({ program }) => program).join(', ');
  if (claimed.scheme !== 'exact' || !COMPARED.every((name) => claimed[name] === offer[name]))
    return 'it is for another requirement';
  if (!isPlain) return 'it is no version 0 transaction of at most 1,232 bytes without lookup tables';
  if (signers.length !== SIGNERS || signers[0] !== extra.feePayer || signers[1] !== payer || signers[0] === payer)
    return "its signers are not the gateway's fee payer and your wallet";
  if (blockhash !== approved.blockhash) return 'its blockhash was replaced, so it may settle later than is known';
  if (programs !== PROGRAMS.token) return `instead of making one transfer, it calls ${programs || 'nothing'}`;
  if (!isSame(acts, [await transferOf(offer, payer)])) return 'it transfers another amount, or between other accounts';
  if (!hasOfferedMemo(offer, memos)) return 'its memo is not the one that the gateway asked for';
  return costFault(budget, extra);
}

/**
 * Throws unless the payment is for this offer, makes its transfer once and nothing else, costs no more than the 402 allows, and has the
 * payer's signature. The wallet may have added checks (`withoutGuards`) and changed the price of compute units. Returns the memo, or an empty
 * text.
 */
export async function assertPays(payment: Payment, approved: ExpectedPayment): Promise<string> {
  const transaction = await readTransaction(String(payment.payload.transaction));
  const difference = await differenceOf(payment, transaction, approved);
  if (difference !== undefined) {
    const message =
      `the payment differs from the approved offer: ${difference}; it was not sent and does not count as spent; ` +
      'if your wallet changed it, pay with another wallet';
    throw new GatewayError('payment_mismatch', { message });
  }
  if (!(await transaction.isSignedBy(approved.payer))) {
    const message =
      'the wallet did not sign the payment that it returned; nothing was sent, and nothing counts as spent; try again, or pay with ' +
      'another wallet';
    throw new GatewayError('not_signed', { message });
  }
  const [memo] = sorted(transaction).memos;
  return new TextDecoder().decode(Uint8Array.from(memo?.data ?? []));
}
