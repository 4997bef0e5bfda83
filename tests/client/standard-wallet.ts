import {
  createKeyPairSignerFromBytes,
  createSignableMessage,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';

interface Account {
  readonly address: string;
  readonly chains: readonly string[];
}

/** A Wallet Standard wallet that signs with `@solana/kit`. */
export async function standardWallet(keypair: Uint8Array) {
  const signer = await createKeyPairSignerFromBytes(keypair);
  const account: Account = { address: signer.address, chains: ['solana:mainnet', 'solana:devnet'] };
  const accounts: Account[] = [];
  const signMessage = async ({ message }: { message: Uint8Array }) => {
    const [signatures] = await signer.signMessages([createSignableMessage(message)]);
    return [{ signedMessage: message, signature: signatures?.[signer.address] }];
  };
  const signTransaction = async ({ transaction }: { transaction: Uint8Array }) => {
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
