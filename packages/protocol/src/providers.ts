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

/** The values of the catalog's provider filter. */
export const CATALOG_PROVIDERS = Object.keys(PROVIDERS) as readonly UpstreamProvider[];
