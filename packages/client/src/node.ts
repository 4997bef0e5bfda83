export { keypairFromFile, newKeypair, newSigner, signerFromBytes, signerFromFile } from './keypair.ts';
