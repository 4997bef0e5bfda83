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
export { type CreditUse, creditIn } from './credit.ts';
export { type ClientCode, type ErrorCode, type ErrorDetails, errorOf, GatewayError } from './error.ts';
export { type KitMessageSigner, signerFromKit } from './kit-signer.ts';
export type * from './methods.ts';
export type { Payer, PaymentWish, SignedPayment } from './payer.ts';
export type { SentRequest } from './sent-request.ts';
export type { CallSettings, ClientOptions, FreeClientOptions } from './settings.ts';
export { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';
export { type KeyPair, type Signer, signerFromBytes, signerFromKeyPair, throwAwaySigner } from './signer.ts';
export { transactionIn } from './transaction.ts';
export { signerFromWallet, type Wallet, type WalletAccount } from './wallet-standard.ts';
