/** Who can be behind an upstream. */
export type UpstreamProvider = 'alchemy' | 'helius' | 'tokens';

/** Who answers a route: the gateway itself, or the provider behind an upstream. */
export type Provider = 'gateway' | UpstreamProvider;

/** What everybody may know of a provider. */
export interface ProviderFacts {
  /** Its name as people know it. */
  readonly label: string;
  /** What it charges for a million of its units, in millionths of a dollar; 0 where its routes are free. */
  readonly rate: number;
}

/** Every provider, as the catalog lists them. Rates are the published ones: Alchemy's compute units, Helius' credits. */
export const PROVIDERS: Readonly<Record<UpstreamProvider, ProviderFacts>> = {
  alchemy: { label: 'Alchemy', rate: 450_000 },
  helius: { label: 'Helius', rate: 5_000_000 },
  tokens: { label: 'Tokens API', rate: 0 },
};

/** The values of the catalog's provider filter. */
export const CATALOG_PROVIDERS = Object.keys(PROVIDERS) as readonly UpstreamProvider[];
