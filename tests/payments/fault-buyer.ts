import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentRequired } from '@asset-gateway/protocol';
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import bs58 from 'bs58';
import { vi } from 'vitest';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';
import { standIn } from '../kit/stand-in.ts';

// The official packages print errors that they also return.
vi.spyOn(console, 'error').mockImplementation(() => {});

/** The body of a refusal. */
interface Refused {
  readonly error?: string;
  readonly payment?: { readonly state: string };
}

export const PENDING = '503 settlement_pending pending';

export const DOLLAR = 1_000_000n;
/** How long to wait before the next look: longer when it takes long, since each costs two processes some milliseconds. */
const nextLookMs = (sinceMs: number, firstMs = 100): number =>
  Math.min(500, firstMs + (performance.now() - sinceMs) / 10);

/** A path that no other test uses, so that payments of one payer are independent. */
export const newPath = (): string =>
  `/v1/x402/helius/wallet/balances/${bs58.encode(crypto.getRandomValues(new Uint8Array(32)))}`;

/** Budgets that no test reaches. */
export const ROOMY = {
  WALLET_RATE_LIMIT_PER_SECOND: '100000',
  RPC_RATE_LIMIT_PER_SECOND: '100000',
  FEE_BUDGET_LAMPORTS_PER_HOUR: '9999999999',
};

export async function readReply(response: Response) {
  const text = await response.text();
  const { status, headers } = response;
  const { error: code = '', payment } = JSON.parse(text || '{}') as Refused;
  const isReplayed = headers.get('idempotency-replayed') === 'true';
  const told = status === 200 ? ['200', isReplayed && 'again'] : [status, code, payment?.state];
  const isOdd = headers.has('payment-required') !== (status === 402);
  const words = [...told, isOdd && (status === 402 ? 'without a challenge' : 'with a challenge')];
  /**
   * Status, code and state of the payment in one text, such as `503 settlement_pending pending`; of answers that were bought, `200`
   * or `200 again`. It says if a challenge is missing from a 402, or comes with anything else.
   */
  const outcome = words.filter(Boolean).join(' ');
  return { status, headers, text, code, isReplayed, outcome };
}

export type Reply = Awaited<ReturnType<typeof readReply>>;

/** The decoded PAYMENT-RESPONSE of an answer. */
export const receiptIn = ({ headers }: Reply): Record<string, unknown> =>
  JSON.parse(Buffer.from(headers.get('payment-response') ?? '', 'base64').toString() || '{}');

/** Micro-USDC that an answer says were charged from credit. */
export const chargedIn = (reply: Reply | undefined): number =>
  Number(/charged=(\d+)/.exec(reply?.headers.get('credit') ?? '')?.[1] ?? 0);

/** Sends one request, with or without a payment. */
export async function ask(url: string, payment?: string, init: RequestInit = {}): Promise<Reply> {
  const headers = { ...init.headers, ...(payment !== undefined && { 'PAYMENT-SIGNATURE': payment }) };
  return readReply(await fetch(url, { ...init, headers }));
}

/** Asks again while the outcome is open, or until the time is over. A reply is missing if no gateway answers. */
export async function untilDecided(
  askAgain: () => Promise<Reply | undefined>,
  isOpen: (reply: Reply) => boolean,
  limitMs = 50_000,
): Promise<Reply> {
  const sinceMs = performance.now();
  for (;;) {
    const reply = await askAgain();
    const isOver = performance.now() > sinceMs + limitMs;
    if (reply && (!isOpen(reply) || isOver)) return reply;
    if (isOver) throw new Error('no gateway answers');
    await pause(nextLookMs(sinceMs));
  }
}

/** Sends the same request with the same payment until its outcome is known. */
export const askUntilDecided = (url: string, payment: string, limitMs?: number, init: RequestInit = {}) =>
  untilDecided(
    () => ask(url, payment, init),
    ({ status, headers }) => [409, 503].includes(status) && headers.has('retry-after'),
    limitMs,
  );

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 50_000): Promise<void> {
  const sinceMs = performance.now();
  while (!(await holds())) {
    if (performance.now() > sinceMs + limitMs) throw new Error('waited in vain');
    await pause(nextLookMs(sinceMs, 10));
  }
}

/** Signs a payment for a 402. */
async function paymentOf(client: x402Client, response: Response, memo?: string): Promise<string> {
  const required = (await response.json()) as PaymentRequired;
  if (response.status !== 402) throw new Error(`no challenge but ${response.status}`);
  const [accepted] = required.accepts as { extra: { memo?: string } }[];
  const asked = accepted && memo !== undefined ? { ...accepted, extra: { ...accepted.extra, memo } } : accepted;
  const offer = standIn<Parameters<typeof client.createPaymentPayload>[0]>({ ...required, accepts: [asked] });
  const payload = await client.createPaymentPayload(offer);
  // The challenge stays what it was, whatever memo the transaction has.
  return btoa(JSON.stringify({ ...payload, accepted }));
}

/** A new wallet with USDC on one chain, which pays with the official client. */
export async function newBuyer(chain: Chain, micros = DOLLAR) {
  const signer = await generateKeyPairSigner();
  await chain.fundUsdc(signer.address, micros);
  const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl: chain.url }));
  return {
    address: signer.address,
    signer,
    /** The header that pays for one answer to this request. */
    pay: async (url: string, init: RequestInit = {}) => paymentOf(client, await fetch(url, init)),
    /** The same, with a memo of the buyer's own. */
    payWithMemo: async (url: string, memo: string) => paymentOf(client, await fetch(url), memo),
  };
}

export type Buyer = Awaited<ReturnType<typeof newBuyer>>;
