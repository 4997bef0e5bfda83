import { GatewayError } from './error.ts';
import type { Signer } from './signer.ts';

/** A message as `@solana/kit` hands it to its signers. */
interface SignableMessage {
  readonly content: Uint8Array;
  readonly signatures: Readonly<Record<string, Uint8Array>>;
}

/** A message signer of `@solana/kit`, by its shape: what `createKeyPairSignerFromBytes` and `generateKeyPairSigner` make. */
export interface KitMessageSigner {
  readonly address: string;
  signMessages(messages: readonly SignableMessage[]): Promise<readonly Readonly<Record<string, Uint8Array>>[]>;
}

/** A wallet from a signer of `@solana/kit`. */
export function signerFromKit(signer: KitMessageSigner): Signer {
  const { address } = signer;
  return {
    address,
    async signMessage(message) {
      const [signatures] = await signer.signMessages([{ content: message, signatures: {} }]);
      const signature = signatures?.[address];
      if (!signature) throw new GatewayError('not_signed', { message: `the signer has not signed for ${address}` });
      return signature;
    },
  };
}
