/** What payments need of kit, by name: where a package is imported later, bundlers such as esbuild otherwise take all of it. */
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
