/** The parts of kit that payments need. Without this file, esbuild would bundle all of a dynamically imported package. */
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
