import { GatewayError } from './error.ts';
import type { Signer } from './signer.ts';

/** An account of a Wallet Standard wallet. */
export interface WalletAccount {
  /** base58. */
  readonly address: string;
  readonly chains: readonly string[];
}

/** A wallet of the Wallet Standard. */
export interface Wallet {
  readonly name: string;
  readonly accounts: readonly WalletAccount[];
  readonly features: Readonly<Record<string, unknown>>;
}

interface SignMessage {
  signMessage(input: {
    account: WalletAccount;
    message: Uint8Array;
  }): Promise<readonly { signedMessage: Uint8Array; signature: Uint8Array }[]>;
}

interface Connect {
  connect(): Promise<{ accounts: readonly WalletAccount[] }>;
}

const SIGNATURE_BYTES = 64;

const notSigned = (message: string): GatewayError => new GatewayError('not_signed', { message });

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** A feature of a wallet. Throws if the wallet does not have it. */
export function featureOf<T>(wallet: Wallet, name: string): T {
  const feature = wallet.features[name];
  if (feature) return feature as T;
  throw notSigned(`${wallet.name} has no ${name}; use another wallet`);
}

/** The wallet's first Solana account. Connects the wallet if it shows none. */
export async function accountOf(wallet: Wallet): Promise<WalletAccount> {
  const isSolana = ({ chains }: WalletAccount): boolean => chains.some((chain) => chain.startsWith('solana:'));
  const shown = wallet.accounts.find(isSolana);
  if (shown) return shown;
  const { accounts } = await featureOf<Connect>(wallet, 'standard:connect').connect();
  const account = accounts.find(isSolana);
  if (!account) throw notSigned(`${wallet.name} shows no Solana account`);
  return account;
}

/** A signer from a wallet with the feature `solana:signMessage`. The wallet may ask its user for each signature. */
export async function signerFromWallet(wallet: Wallet, chosen?: WalletAccount): Promise<Signer> {
  const account = chosen ?? (await accountOf(wallet));
  const { signMessage } = featureOf<SignMessage>(wallet, 'solana:signMessage');
  return {
    address: account.address,
    async signMessage(message) {
      const [output] = await signMessage({ account, message });
      if (!output || !isSame(output.signedMessage, message) || output.signature.length !== SIGNATURE_BYTES) {
        throw notSigned(`${wallet.name} signed another text than requested`);
      }
      return output.signature;
    },
  };
}
