/** The parts of kit that payments need. Without this file, esbuild bundles all of a package that is imported dynamically. */
export {
  address,
  createKeyPairSignerFromBytes,
  createSignerFromKeyPair,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  getU64Encoder,
} from '@solana/kit';
