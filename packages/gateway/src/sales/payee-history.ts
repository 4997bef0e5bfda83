import { type Cluster, member } from '@asset-gateway/protocol';
import type { Chain } from '../payments/facilitator/chain.ts';

/** Money that has arrived at the payee, as the chain shows it. */
export interface ChainTransfer {
  /** `mainnet` or `devnet`. */
  readonly cluster: string;
  readonly signature: string;
  /** When its block was made, in milliseconds. */
  readonly atMs: number;
  /** Millionths of a dollar. */
  readonly micros: number;
  /** Whose account it came from. */
  readonly wallet: string;
  readonly feeLamports: number;
  /** Whether our own fee payer has paid it. */
  readonly isFeeOurs: boolean;
  /** The first memo of the transaction. */
  readonly memo: string | undefined;
}

/** Whose transfers are looked for. */
export interface PayeeAccount {
  readonly cluster: Cluster;
  /** The payee's token account. */
  readonly account: string;
  readonly mint: string;
  /** Our own fee payer; nothing where a facilitator elsewhere pays. */
  readonly feePayer: string | undefined;
}

const PAGE = 1_000;
const AT_ONCE = 8;

/** A transaction of the payee that has succeeded. */
export interface Listed {
  readonly signature: string;
  readonly atMs: number;
  readonly memo: string | undefined;
}

/** Signatures of the transactions of an account since a time that have succeeded, the newest first. */
export async function listSince(chain: Chain, account: string, sinceMs: number): Promise<Listed[]> {
  const listed: Listed[] = [];
  let before: string | undefined;
  for (;;) {
    const rows = await chain.transactionsOf(account, { limit: PAGE, ...(before !== undefined && { before }) });
    const young = rows.filter(({ atMs }) => atMs >= sinceMs);
    listed.push(...young.filter(({ hasFailed }) => !hasFailed).map(({ memos: [memo], ...row }) => ({ ...row, memo })));
    before = rows.at(-1)?.signature;
    if (before === undefined || young.length < rows.length || rows.length < PAGE) return listed;
  }
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** By how much each holding of a mint has changed in a transaction. */
function changesIn(meta: unknown, mint: string): Map<number, { readonly owner: string; readonly micros: bigint }> {
  const changes = new Map<number, { owner: string; micros: bigint }>();
  for (const [name, sign] of [['preTokenBalances', -1n] as const, ['postTokenBalances', 1n] as const]) {
    const balances = member(meta, name);
    for (const balance of Array.isArray(balances) ? balances : []) {
      if (member(balance, 'mint') !== mint) continue;
      const index = Number(member(balance, 'accountIndex'));
      const amount = BigInt(String(member(member(balance, 'uiTokenAmount'), 'amount') ?? 0));
      const before = changes.get(index)?.micros ?? 0n;
      changes.set(index, { owner: String(member(balance, 'owner') ?? ''), micros: before + sign * amount });
    }
  }
  return changes;
}

/** What a transaction has brought the payee; nothing where it has brought nothing. */
export function transferIn(answer: unknown, listed: Listed, payee: PayeeAccount): ChainTransfer | undefined {
  const [meta, message] = [member(answer, 'meta'), member(member(answer, 'transaction'), 'message')];
  const loaded = member(meta, 'loadedAddresses');
  const own = textsOf(member(message, 'accountKeys'));
  const keys = [...own, ...textsOf(member(loaded, 'writable')), ...textsOf(member(loaded, 'readonly'))];
  const changes = changesIn(meta, payee.mint);
  const micros = changes.get(keys.indexOf(payee.account))?.micros ?? 0n;
  if (micros <= 0n) return undefined;
  const [source] = [...changes.values()].sort((one, other) => Number(one.micros - other.micros));
  const fee = { feeLamports: Number(member(meta, 'fee')), isFeeOurs: own[0] === payee.feePayer };
  const { cluster } = payee;
  return { ...listed, ...fee, cluster, micros: Number(micros), wallet: source?.owner ?? '' };
}

/** Every transfer to the payee since a time, the newest first. One call of the RPC for each, so many at once. */
export async function transfersTo(payee: PayeeAccount, chain: Chain, sinceMs: number): Promise<ChainTransfer[]> {
  const listed = await listSince(chain, payee.account, sinceMs);
  const transfers: ChainTransfer[] = [];
  for (let first = 0; first < listed.length; first += AT_ONCE) {
    const part = listed.slice(first, first + AT_ONCE);
    const answers = await Promise.all(part.map(({ signature }) => chain.transaction(signature)));
    transfers.push(...part.flatMap((each, index) => transferIn(answers[index], each, payee) ?? []));
  }
  return transfers;
}

/** The transfer of one transaction; nothing where there is no such transaction, or it brought the payee nothing. */
export async function transferBy(
  payee: PayeeAccount,
  chain: Chain,
  signature: string,
): Promise<ChainTransfer | undefined> {
  const answer = await chain.transaction(signature);
  if (answer === null || member(member(answer, 'meta'), 'err') !== null) return undefined;
  const atMs = Number(member(answer, 'blockTime')) * 1_000;
  return transferIn(answer, { signature, atMs, memo: undefined }, payee);
}
