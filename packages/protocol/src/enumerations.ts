/** The enumerations of the specification (docs/conformance.md 2.2) and of Solana's RPC. The gateway enforces them before any upstream call. */
export const ENUMERATIONS = {
  include: ['profile', 'risk', 'ohlcv', 'markets'],
  interval: ['1m', '5m', '15m', '1H', '4H', '1D', '1W'],
  kind: [
    'native',
    'wrapped',
    'bridged',
    'etf',
    'yield',
    'leveraged',
    'basket',
    'lst',
    'stablecoin',
    'tokenized_equity',
  ],
  liquidityTier: ['tier1', 'tier2', 'tier3'],
  trustTier: ['tier1', 'tier2', 'tier3', 'experimental'],
  list: ['all', 'majors', 'lsts', 'currencies', 'rwas', 'etfs', 'metals', 'stocks'],
  groupBy: ['asset', 'mint'],
  variantsMode: ['all'],
  commitment: ['processed', 'confirmed', 'finalized'],
  encoding: ['base58', 'base64', 'base64+zstd', 'json', 'jsonParsed'],
} as const;
