import { clusterOfNetwork } from '@asset-gateway/protocol/wire';
import type { Transaction, TransactionSigner } from '@solana/kit';
import { GatewayError } from './error.ts';
import { accountOf, featureOf, type KeyPair, type Wallet } from './signer.ts';

/** A wallet that can sign payments. */
export type PayingWallet = Uint8Array | KeyPair | Wallet | TransactionSigner;

interface SignTransaction {
  signTransaction(input: object): Promise<readonly { signedTransaction: Uint8Array }[]>;
}

/** A Wallet Standard wallet as a signer of `@solana/kit`. Only its signature is used. */
async function walletSigner(wallet: Wallet, network: string): Promise<TransactionSigner> {
  const { address: addressOf, getTransactionDecoder, getTransactionEncoder } = await import('./kit.ts');
  const account = await accountOf(wallet);
  const { signTransaction } = featureOf<SignTransaction>(wallet, 'solana:signTransaction');
  const address = addressOf(account.address);
  const sign = async (transaction: Transaction) => {
    const bytes = new Uint8Array(getTransactionEncoder().encode(transaction));
    const [output] = await signTransaction({
      account,
      chain: `solana:${clusterOfNetwork(network)}`,
      transaction: bytes,
    });
    const signature = output && getTransactionDecoder().decode(output.signedTransaction).signatures[address];
    if (!signature) throw new GatewayError('not_signed', { message: `${wallet.name} did not sign the payment` });
    return { [address]: signature };
  };
  return { address, signTransactions: (transactions) => Promise.all(transactions.map(sign)) } as TransactionSigner;
}

/** A signer of `@solana/kit` for payments on this network (CAIP-2). */
export async function transactionSigner(wallet: PayingWallet, network: string): Promise<TransactionSigner> {
  const { createKeyPairSignerFromBytes, createSignerFromKeyPair } = await import('./kit.ts');
  if (wallet instanceof Uint8Array) return createKeyPairSignerFromBytes(wallet);
  if ('privateKey' in wallet) return createSignerFromKeyPair(wallet as Parameters<typeof createSignerFromKeyPair>[0]);
  return 'features' in wallet ? walletSigner(wallet, network) : wallet;
}
