/** The parts of kit that find an account. They suffice to read a balance, so a page loads the rest with its first payment. */
export { getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
