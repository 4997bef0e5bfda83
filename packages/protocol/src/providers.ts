/** The upstream providers. */
export type UpstreamProvider = 'alchemy' | 'helius' | 'tokens';

/** A route's provider; `gateway` for its own routes. */
export type Provider = 'gateway' | UpstreamProvider;

/** Public facts about a provider. */
interface ProviderFacts {
  readonly label: string;
  /** The price of a million units, in millionths of a dollar; 0 if the routes are free. */
  readonly rate: number;
}

/** All providers, in the catalog's order, with published rates: Alchemy's compute units, Helius' credits. */
export const PROVIDERS: Readonly<Record<UpstreamProvider, ProviderFacts>> = {
  alchemy: { label: 'Alchemy', rate: 450_000 },
  helius: { label: 'Helius', rate: 5_000_000 },
  tokens: { label: 'Tokens API', rate: 0 },
};

/** The provider of the gateway's own routes, which sell and show credit. */
export const GATEWAY = 'gateway';

/** Returns the values of the catalog's provider filter, including the operator's APIs. */
export const catalogProviders = (apis: readonly string[], hasCredit: boolean): readonly string[] => [
  ...Object.keys(PROVIDERS),
  ...apis,
  ...(hasCredit ? [GATEWAY] : []),
];

/** The longest answer that our clients read, in bytes. It fits the catalog of an API with ten thousand operations. */
export const MAX_READ_BYTES = 32 * 1024 * 1024;

const PROVIDER_IN_PATH = /^\/v1\/x402\/(?:solana\/[a-z]{1,16}\/)?([\w-]{1,64})(?:\/|$)/;

/** Returns the provider in a path, as a value of the catalog's provider filter; undefined if the path has none. */
export function providerIn(path: string): string | undefined {
  const [, name] = PROVIDER_IN_PATH.exec(path) ?? [];
  return name === 'credit' ? GATEWAY : name;
}
