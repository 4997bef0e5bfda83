/** The providers of upstreams. */
export type UpstreamProvider = 'alchemy' | 'helius' | 'tokens';

/** The provider of a route; `gateway` for its own. */
export type Provider = 'gateway' | UpstreamProvider;

/** Public facts about a provider. */
interface ProviderFacts {
  readonly label: string;
  /** Its price of a million units, in millionths of a dollar; 0 if its routes are free. */
  readonly rate: number;
}

/** All providers, in the catalog's order. Rates are the published ones: Alchemy's compute units, Helius' credits. */
export const PROVIDERS: Readonly<Record<UpstreamProvider, ProviderFacts>> = {
  alchemy: { label: 'Alchemy', rate: 450_000 },
  helius: { label: 'Helius', rate: 5_000_000 },
  tokens: { label: 'Tokens API', rate: 0 },
};

/** The provider of the gateway's own routes: those of credit. */
export const GATEWAY = 'gateway';

/** The values of the catalog's provider filter, with the names of the operator's APIs. */
export const catalogProviders = (apis: readonly string[], hasCredit: boolean): readonly string[] => [
  ...Object.keys(PROVIDERS),
  ...apis,
  ...(hasCredit ? [GATEWAY] : []),
];

/** The longest answer that our clients read, in bytes. The catalog of an API with ten thousand operations fits. */
export const MAX_READ_BYTES = 32 * 1024 * 1024;

const FAMILY = /^\/v1\/x402\/(?:solana\/[a-z]{1,16}\/)?([\w-]{1,64})(?:\/|$)/;

/** The provider that a path names, of which the catalog can be asked for; undefined if it names none. */
export function providerIn(path: string): string | undefined {
  const [, name] = FAMILY.exec(path) ?? [];
  return name === 'credit' ? GATEWAY : name;
}
