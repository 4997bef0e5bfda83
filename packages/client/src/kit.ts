/** The parts of kit that payments need. Without this file, esbuild bundles all of a package that is imported dynamically. */
export {
  address,
  createKeyPairSignerFromBytes,
  createSignerFromKeyPair,
  getAddressEncoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getTransactionDecoder,
  getTransactionEncoder,
  getU64Encoder,
} from '@solana/kit';
