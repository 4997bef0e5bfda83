export { type AskOptions, type ClientOptions, GatewayClient } from './client.ts';
export { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';
export { newSigner, type Signer, signerFromBytes, signerFromFile } from './signer.ts';
