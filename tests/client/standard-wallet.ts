import {
  createKeyPairSignerFromBytes,
  createSignableMessage,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import { draftOf, signed } from '../payments/drafts.ts';
import type { DraftChange } from '../payments/forgeries.ts';

interface Account {
  readonly address: string;
  readonly chains: readonly string[];
}

/** What a wallet returns for a transaction. */
type Answer = (transaction: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** A Wallet Standard wallet that signs with `@solana/kit`, or returns this answer. */
export async function standardWallet(keypair: Uint8Array, answer?: Answer) {
  const signer = await createKeyPairSignerFromBytes(keypair);
  const account: Account = { address: signer.address, chains: ['solana:mainnet', 'solana:devnet'] };
  const accounts: Account[] = [];
  const signMessage = async ({ message }: { message: Uint8Array }) => {
    const [signatures] = await signer.signMessages([createSignableMessage(message)]);
    return [{ signedMessage: message, signature: signatures?.[signer.address] }];
  };
  const signTransaction = async ({ transaction }: { transaction: Uint8Array }) => {
    if (answer) return [{ signedTransaction: await answer(transaction) }];
    const decoded = getTransactionDecoder().decode(transaction);
    const [signatures] = await signer.signTransactions([decoded as Parameters<typeof signer.signTransactions>[0][0]]);
    const signed = { ...decoded, signatures: { ...decoded.signatures, ...signatures } };
    return [{ signedTransaction: new Uint8Array(getTransactionEncoder().encode(signed)) }];
  };
  const connect = async () => {
    accounts.push(account);
    return { accounts };
  };
  return {
    name: 'A wallet',
    accounts,
    features: {
      'standard:connect': { connect },
      'solana:signMessage': { signMessage },
      'solana:signTransaction': { signTransaction },
    },
  };
}

/** A Wallet Standard wallet that changes each transaction and signs the change. */
export const changingWallet = (keypair: Uint8Array, change: DraftChange) =>
  standardWallet(keypair, async (transaction) => {
    const draft = draftOf(transaction);
    await change(draft);
    return signed(draft, [keypair]);
  });
