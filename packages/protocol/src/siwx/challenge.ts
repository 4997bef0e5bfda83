import { SIGN_IN_NETWORKS } from '../networks.ts';

/** The key of the sign-in extension in a PaymentRequired object. */
export const SIWX_EXTENSION = 'sign-in-with-x';

/** What the gateway asks a wallet to sign; the client adds its address, a chain and the signature. */
export interface SiwxInfo {
  readonly domain: string;
  readonly uri: string;
  readonly version: '1';
  /** 32 lower-case hex digits. */
  readonly nonce: string;
  /** RFC 3339, UTC. */
  readonly issuedAt: string;
  readonly expirationTime: string;
  readonly statement: string;
}

const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };
const dateTime = { type: 'string', format: 'date-time' };

/** The published schema of a sign-in payload. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    domain: text,
    address: text,
    statement: text,
    uri,
    version: text,
    chainId: text,
    type: text,
    nonce: text,
    issuedAt: dateTime,
    expirationTime: dateTime,
    notBefore: dateTime,
    requestId: text,
    resources: { type: 'array', items: uri },
    signature: text,
  },
  required: ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'],
};

const chain = (chainId: string) => ({ chainId, type: 'ed25519' });

const SUPPORTED_CHAINS = /* @__PURE__ */ SIGN_IN_NETWORKS.map(chain);

/** The sign-in extension of a challenge: for every network that is taken, or for one alone. */
export const siwxExtension = (info: SiwxInfo, network?: string) => ({
  info,
  supportedChains: network === undefined ? SUPPORTED_CHAINS : [chain(network)],
  schema: SCHEMA,
});
