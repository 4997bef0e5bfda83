export { Call, type Full } from './call.ts';
export {
  type Asking,
  type AskOptions,
  createClient,
  createFreeClient,
  type FreeClient,
  type GatewayClient,
  type SentPayment,
} from './client.ts';
export { type ClientCode, type ErrorCode, type ErrorDetails, errorOf, GatewayError } from './error.ts';
export type * from './methods.ts';
export type { Payer, PaymentWish, SignedPayment } from './payer.ts';
export { type CreditUse, creditIn, transactionIn } from './receipt.ts';
export type { SentRequest } from './sent-request.ts';
export type { CallSettings, ClientOptions, FreeClientOptions } from './settings.ts';
export { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';
export {
  type KeyPair,
  type KitMessageSigner,
  type Signer,
  signerFromBytes,
  signerFromKeyPair,
  signerFromKit,
  throwAwaySigner,
} from './signer.ts';
export { signerFromWallet, type Wallet, type WalletAccount } from './wallet-standard.ts';
