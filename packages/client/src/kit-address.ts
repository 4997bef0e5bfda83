/** The parts of kit that find an account. Reading a balance needs no more, so a page loads the rest with its first payment. */
export { getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
