export { type AskOptions, type ClientOptions, GatewayClient } from './client.ts';
export { type CreditUse, creditIn } from './credit.ts';
export { type Offer, offerIn } from './offer.ts';
export { type Purse, paymentFor, transactionIn } from './pay.ts';
export { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';
export { keypairFromFile, newKeypair, newSigner, type Signer, signerFromBytes, signerFromFile } from './signer.ts';
