import type { Store } from '../budget/store.ts';
import type { Config } from '../config/config.ts';
import { type Crypto, keysFor } from '../gates/crypto.ts';
import { ReceiptIssuer } from '../receipts/issuer.ts';

/** What receipts are signed with where no key pair is given, and by which clock. */
interface ReceiptParts {
  readonly crypto: Crypto;
  /** The first signs, all are published. */
  readonly secrets: readonly string[];
  readonly store: Pick<Store, 'wallNow'>;
}

const SEED_BYTES = 32;

/** Who signs receipts; nothing where none are signed. Nodes with the same secrets, or key pairs, sign with the same key. */
export function openReceipts(
  { receipts }: Pick<Config, 'receipts'>,
  { crypto, secrets, store }: ReceiptParts,
): ReceiptIssuer | undefined {
  if (!receipts) return undefined;
  const given = receipts.keypairs.map((keypair) => keypair.subarray(0, SEED_BYTES));
  const seeds = given.length > 0 ? given : keysFor('asset-gateway receipts', crypto, secrets);
  return new ReceiptIssuer(seeds, () => store.wallNow());
}
