/** Base58 that may be the 32 bytes of an address or a blockhash. */
export const ADDRESS_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Base58 that may be the 64 bytes of a transaction's signature. */
export const SIGNATURE_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** An address or a domain name. */
export const ADDRESS_OR_NAME_PATTERN = /^(?:[1-9A-HJ-NP-Za-km-z]{32,44}|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+)$/;

/** A canonical asset id. */
export const ASSET_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
