/** What stands before a raw Ed25519 seed in PKCS #8 (RFC 8410). */
const HEAD = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/** The private key of a 32-byte Ed25519 seed as PKCS #8 in DER, which is what crypto libraries take. */
export const pkcs8OfSeed = (seed: Uint8Array): Uint8Array => Uint8Array.of(...HEAD, ...seed);
