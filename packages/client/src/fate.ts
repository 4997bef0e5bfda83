import { DAY_MS, SHARED_TIMES } from '@asset-gateway/protocol/wire';
import { assertNetwork, finalizedBlock, LISTED_TRANSACTIONS, type RpcAccess, transactionsOf } from './chain.ts';
import type { EarlierPayment, PaymentTrace } from './ledger.ts';

/**
 * What has become of a signed payment. `open`: it may still settle. `settled`: it has settled. `expired`: it has not
 * settled and never will. `over`: it can no longer settle, and whether it has is unknown.
 */
export type Fate = 'open' | 'settled' | 'expired' | 'over';

/** The age after which a payment without a trace is not expected to settle, because its challenge has expired. */
const { blockhashMs, challengeMs } = SHARED_TIMES;

const utf8 = new TextEncoder();

/** Returns the fate of a payment according to the chain. Throws if the RPC cannot be read. */
async function fateOnChain({ network, account, memo, ...trace }: PaymentTrace, access: RpcAccess): Promise<Fate> {
  await assertNetwork(access, network);
  const final = await finalizedBlock(access);
  if (!(final.height > trace.lastValidBlockHeight)) return 'open';
  const listed = await transactionsOf(access, account, final.slot).catch(() => undefined);
  if (!listed || memo === '') return 'over';
  const written = `[${utf8.encode(memo).length}] ${memo}`;
  if (listed.some((each) => each.memo === written && !each.hasFailed)) return 'settled';
  const since = listed.filter(({ slot }) => slot >= trace.slot);
  const isComplete = since.length < listed.length || listed.length < LISTED_TRANSACTIONS;
  // Some RPCs list no memos.
  return isComplete && since.every((each) => each.hasFailed || each.memo !== undefined) ? 'expired' : 'over';
}

/** Returns the milliseconds since a payment was signed. If the clock was set back since then, only the chain decides. */
export const ageOf = ({ at }: Pick<EarlierPayment, 'at'>): number => Math.abs(Date.now() - at);

/** Returns access to a network's RPC (CAIP-2). Throws if there is none. */
export type AccessTo = (network: string) => RpcAccess;

/**
 * Finds out whether an earlier payment has settled, may still settle, or never will.
 *
 * The time of day decides nothing. A payment has expired if the finalized chain is past the last block that may hold it, and the payer's
 * account has made no transaction with its memo since. A node that has reached that block must list these transactions. A gateway cannot
 * fake this, so a gateway that refuses a payment and settles it is found out. The RPC is not asked before a minute has passed. Together
 * with a lying gateway, a lying RPC can then free the amount of one payment a minute for each request. An unreadable RPC frees nothing.
 *
 * @param payment a payment of the ledger
 * @param accessTo the RPC of the payment's network
 * @param ageMs the time since the payment was signed, in milliseconds; default: by the clock
 */
export async function fateOf(
  { trace, state, ...payment }: Pick<EarlierPayment, 'at' | 'trace' | 'state'>,
  accessTo: AccessTo,
  ageMs = ageOf(payment),
): Promise<Fate> {
  if (ageMs < blockhashMs) return 'open';
  if (!trace) return ageMs < challengeMs ? 'open' : 'over';
  // An older payment counts towards no 24-hour limit, and an RPC may have forgotten its transaction.
  if (ageMs > DAY_MS && state === 'refused') return 'over';
  try {
    const fate = await fateOnChain(trace, accessTo(trace.network));
    return fate === 'expired' && ageMs > DAY_MS ? 'over' : fate;
  } catch {
    return 'open';
  }
}
