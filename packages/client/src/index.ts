/**
 * A client of one gateway for one Solana wallet: typed methods, signed requests, payments within caps. It runs in browsers, Node and
 * Cloudflare Workers. Begin with {@link createClient}. Its methods are those of `Methods`, by family.
 * @packageDocumentation
 */
export type {
  Cluster,
  HttpMethod,
  Issue,
  PaymentRequired,
  PaymentState,
  RefusalCode,
  Resource,
  SiwxInfo,
  UpstreamProvider,
} from '@asset-gateway/protocol/wire';
export { Call, type CreditUse, creditIn, type Full, transactionIn } from './call.ts';
// A star, so that other modules can add to `Calls`.
export type * from './calls.ts';
export {
  type AskOptions,
  type ClientFunctions,
  createClient,
  createFreeClient,
  type FreeClient,
  type GatewayClient,
  type SentPayment,
} from './client.ts';
export {
  type ClientCode,
  type ErrorCode,
  type ErrorDetails,
  errorOf,
  GatewayError,
  type WalletFunds,
} from './error.ts';
export type * from './methods.ts';
export type { SentRequest } from './sent-request.ts';
export type { CallSettings, ClientOptions, FreeClientOptions, Payer, PaymentWish, SignedPayment } from './settings.ts';
export { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';
export {
  type KeyPair,
  type KitMessageSigner,
  type SignableMessage,
  type Signer,
  signerFromBytes,
  signerFromKeyPair,
  signerFromKit,
  signerFromWallet,
  throwAwaySigner,
  type Wallet,
  type WalletAccount,
} from './signer.ts';
