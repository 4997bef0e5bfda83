import { clusterOfNetwork } from '@asset-gateway/protocol/wire';
import type { Transaction, TransactionModifyingSigner, TransactionSigner } from '@solana/kit';
import { GatewayError } from './error.ts';
import { accountOf, featureOf, type KeyPair, type Wallet } from './signer.ts';

/**
 * A wallet that can sign payments: the 64 bytes of a key pair, a key pair of WebCrypto, a Wallet Standard wallet with
 * `solana:signTransaction`, or a signer of `@solana/kit`.
 */
export type PayingWallet = Uint8Array | KeyPair | Wallet | TransactionSigner;

interface SignTransaction {
  signTransaction(input: object): Promise<readonly { signedTransaction: Uint8Array }[]>;
}

type Signed = Awaited<ReturnType<TransactionModifyingSigner['modifyAndSignTransactions']>>;

/** Makes a kit signer from a Wallet Standard wallet. The wallet may change the transaction, so the payment is the one it returns. */
async function walletSigner(wallet: Wallet, network: string): Promise<TransactionSigner> {
  const { address: addressOf, getTransactionDecoder, getTransactionEncoder } = await import('./kit.ts');
  const account = await accountOf(wallet);
  const { signTransaction } = featureOf<SignTransaction>(wallet, 'solana:signTransaction');
  const chain = `solana:${clusterOfNetwork(network)}`;
  const sign = async (transaction: Transaction) => {
    const bytes = new Uint8Array(getTransactionEncoder().encode(transaction));
    const outputs = await signTransaction({ account, chain, transaction: bytes });
    try {
      const { signedTransaction } = outputs[0] as (typeof outputs)[number];
      return { ...transaction, ...getTransactionDecoder().decode(signedTransaction) };
    } catch (cause) {
      const message = `${wallet.name} returned no transaction; nothing was sent, and nothing counts as spent; pay with another wallet`;
      throw new GatewayError('not_signed', { message, cause });
    }
  };
  const modifyAndSignTransactions = async (transactions: readonly Transaction[]) =>
    (await Promise.all(transactions.map(sign))) as unknown as Signed;
  return { address: addressOf(account.address), modifyAndSignTransactions };
}

/** Returns a `@solana/kit` signer for payments on this network (CAIP-2). */
export async function transactionSigner(wallet: PayingWallet, network: string): Promise<TransactionSigner> {
  const { createKeyPairSignerFromBytes, createSignerFromKeyPair } = await import('./kit.ts');
  if (wallet instanceof Uint8Array) return createKeyPairSignerFromBytes(wallet);
  if ('privateKey' in wallet) return createSignerFromKeyPair(wallet as Parameters<typeof createSignerFromKeyPair>[0]);
  return 'features' in wallet ? walletSigner(wallet, network) : wallet;
}
