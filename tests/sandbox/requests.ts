import { TOKEN_ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { addressOf } from '../../packages/sandbox/src/tokens/seed.ts';

export const KEY = 'upstream-key';
export const NOW = Date.parse('2025-12-29T09:23:45Z');
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
/** A well-formed mint without a token. */
export const UNKNOWN = '7'.repeat(43);

const SOL = 'So11111111111111111111111111111111111111112';
const TESLA = 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB';
const ANTHROPIC = 'Pren1FvFX6J3E4kXhJuCiAD5aDmGEb7qJRncwA8Lkhw';
const JITO_SOL = addressOf('solana/JitoSOL');
const LAINE_SOL = addressOf('solana/laineSOL');
/** A stake pool that is not yet a variant of Solana. */
const V_SOL = addressOf('solana/vSOL');
/** A variant that is not traded. */
const IDLE = addressOf('solana/scnSOL');
const [MOSS] = TOKEN_ASSETS;
const TOKEN = MOSS?.variants[0]?.mint ?? '';
const TOKEN_NAME = MOSS?.symbol?.toLowerCase();

const CLOCK = Math.floor(NOW / 1000);
const HOUR = Math.floor(CLOCK / 3600) * 3600;

const resolve = (...queries: string[]): string[] => queries.map((query) => `/assets/resolve?${query}`);
const reference = (...texts: string[]): string[] => resolve(...texts.map((text) => `ref=${encodeURIComponent(text)}`));
const assets = (...rest: string[]): string[] => rest.map((each) => `/assets/${each}`);
/** Views of each of these assets. */
const views = (ids: readonly string[], ...names: string[]): string[] =>
  ids.flatMap((id) => names.map((view) => `/assets/${id}/${view}`));

/** Requests of GET, by the name of their record. */
export const targets: Readonly<Record<string, readonly string[]>> = {
  resolve: [
    ...reference('solana', 'Solana', 'SOL', ' sol ', 'usd-coin', 'tslax', 'Tesla (Ondo)', 'jitosol', 'hsol', V_SOL),
    ...reference('Helium-Network', USDC, `solana-${SOL}`, UNKNOWN, `solana-${UNKNOWN}`, JITO_SOL, `solana-${JITO_SOL}`),
    ...reference('cardano', TOKEN, 'stock-b5kufqhk', 'anthropic', 'ANTHROPIC', 'Anthropic PreStocks', 'pre-pren1fvf'),
    ...reference(ANTHROPIC, 'openai', 'pre-prewejye', 'OpenAI PreStocks', 'spacex-prestocks', 'spacex', 'nothing'),
    ...resolve(
      `mint=${SOL}`,
      `mint=${TESLA}&ref=apple`,
      `mint=${UNKNOWN}`,
      `mint=${V_SOL}`,
      `mint=${JITO_SOL}`,
      'mint=0',
    ),
    '/assets/resolve',
  ],
  search: [
    ...assets('search?q=sol', 'search?q=solana&limit=1', 'search?q=hSOL&limit=1', 'search?q=vsol&limit=1'),
    ...assets(`search?q=${USDC}`, `search?q=${TOKEN_NAME}`, `search?q=${TOKEN_NAME}&category=crypto`),
    ...assets(`search?q=${TOKEN_NAME}&category=equity`, 'search?q=%20tesla%20&limit=999&category=equity'),
    ...assets(
      'search?q=usd&limit=1&variants=all',
      'search',
      'search?limit=0',
      'search?q=a&limit=1.5',
      'search?q=a&limit=1',
    ),
    ...assets('search?q=a&category=fish', 'search?q=a&category=lst'),
  ],
  curated: [
    ...['stables', 'xstocks', '%20majors%20', 'nonsense', 'all&groupBy=mint', 'majors&groupBy=nonsense', 'lsts'].map(
      (list) => `/assets/curated?list=${list}`,
    ),
    ...[
      'lsts&groupBy=mint',
      'lsts&groupBy=mint&variantsMode=all',
      'lsts&variants=all',
      'stocks',
      'stocks&variants=all',
    ].map((list) => `/assets/curated?list=${list}`),
    ...['lsts&variants=all&variantsMode=all', 'majors&groupBy=mint', 'majors&variants=all', 'stocks&variants=some'].map(
      (list) => `/assets/curated?list=${list}`,
    ),
    ...['offset=3&limit=4', 'offset=0', 'limit=9999', 'limit=0', 'limit=', 'offset=-1'].map(
      (page) => `/assets/curated?list=all&${page}`,
    ),
    ...assets('curated', 'curated?list=metals&offset=99&limit=5', 'curated?list=stocks&groupBy=mint&variants=all'),
  ],
  detail: [
    ...assets(
      'solana',
      'SOL',
      'bitcoin',
      'eur',
      'gold',
      'openai',
      'anthropic',
      'spacex',
      'cardano',
      'nothing',
      UNKNOWN,
    ),
    ...assets('solana?include=markets,risk,ohlcv,,profile,risk&marketsLimit=3&marketsOffset=1'),
    ...assets(`${UNKNOWN}?include=profile,risk,ohlcv,markets`, 'cardano?include=risk,ohlcv,markets&marketsLimit=0'),
    ...assets('solana?variantsMode=all', 'solana?variantsMode=some', `solana?mint=${LAINE_SOL}`, `solana?mint=${USDC}`),
    ...assets('tesla?include=ohlcv', `tesla?include=ohlcv&mint=${TESLA}`, 'nothing?include=profile,fish'),
    ...assets('solana?include=markets&marketsLimit=0', 'solana?include=ohlcv&ohlcvInterval=2H'),
    ...assets('solana?ohlcvInterval=2H&marketsLimit=0&ohlcvFrom=x'),
  ],
  variants: [
    ...views(['usd', 'solana', UNKNOWN, TOKEN], 'variants'),
    ...assets(`usd/variants?mint=${USDC}`, `usd/variants?mint=${SOL}`, `solana/variants?mint=${LAINE_SOL}`),
    ...assets(
      'solana/variants?kind=yield',
      'solana/variants?trustTier=experimental',
      'solana/variants?variantsMode=all',
    ),
    ...assets(
      'solana/variants?liquidityTier=tier3',
      'solana/variants?trustTier=TIER1',
      `${TOKEN}/variants?kind=wrapped`,
    ),
    ...assets('solana/variants?kind=fish', 'solana/variants?trustTier=best', `${TOKEN}/variants?mint=${SOL}`),
    ...assets('solana/variants?liquidityTier=tier1&trustTier=experimental'),
  ],
  markets: [
    ...views(['solana', 'eur', 'spacex', 'cardano', UNKNOWN, TOKEN, JITO_SOL], 'markets', 'variant-market'),
    ...views(['solana', 'cardano', UNKNOWN], 'variant-top-markets'),
    ...views([`solana-${JITO_SOL}`, JITO_SOL, 'solana'], `markets?mint=${SOL}`, `variant-market?mint=${IDLE}`),
    ...assets(V_SOL, `${V_SOL}/markets`, `solana/markets?mint=${IDLE}`, `${JITO_SOL}/variant-market?mint=${JITO_SOL}`),
    ...assets('solana/variant-top-markets?limit=2&offset=1', 'solana/variant-top-markets?variantsMode=all'),
    ...assets('solana/markets?offset=-1', 'variant-markets', 'variant-markets?mints=', 'variant-markets?mints=,%20,'),
    ...assets(`variant-markets?mints=${[USDC, SOL, UNKNOWN, SOL, TOKEN]}`, `variant-markets?addresses=${USDC},${SOL}`),
    ...assets(`variant-markets?addresses=${USDC}&mints=${SOL}`, `variant-markets?mints=&addresses=${USDC}`),
    ...assets(`variant-markets?mints=${SOL}&mints=${USDC}`, `variant-markets?mints=,%20${SOL}%20,,%09${USDC},`),
  ],
  facts: [
    ...views(['solana', 'tesla', 'sp500', 'anthropic', UNKNOWN, TOKEN], 'profile', 'tickers'),
    ...views(['solana', JITO_SOL, V_SOL, 'usd', UNKNOWN, TOKEN], 'description', 'risk-summary', 'risk-details'),
    ...views(['solana'], `risk-summary?mint=${IDLE}`, `risk-details?mint=${IDLE}`, 'nothing'),
    ...assets('tesla/tickers?offset=7&limit=0&order=fish', 'sp500/tickers?order=', 'solana/tickers?order=volume_asc'),
    ...assets('risk-summary', 'risk-summary?mint=bad', `risk-summary?address=${USDC}`),
    ...[SOL, USDC, UNKNOWN, IDLE, TESLA].map((mint) => `/assets/risk-summary?mint=${mint}`),
    '/health',
  ],
  candles: [
    ...views(['solana', 'tesla', 'anthropic', UNKNOWN, TOKEN, JITO_SOL], 'ohlcv', 'price-chart'),
    ...assets('solana/price-chart?mint=nonsense', 'openai/price-chart?mint=nonsense', `tesla/ohlcv?mint=${TESLA}`),
    ...[HOUR - 7200, HOUR - 7199, HOUR].map(
      (from) => `/assets/solana/ohlcv?from=${from}&to=${Math.max(from, HOUR - 3601)}`,
    ),
    ...assets('solana/ohlcv?interval=2H', 'solana/ohlcv?from=1262303999', `solana/ohlcv?to=${CLOCK - 8 * 86_400}`),
    ...assets(`solana/ohlcv?from=${CLOCK + 301}&to=${CLOCK + 400}`, `solana/ohlcv?to=${CLOCK + 9999}`),
    ...assets(`solana/ohlcv?interval=1m&from=${CLOCK - 600_000}&to=${CLOCK}`),
  ],
};

/** Bodies of a batch of snapshots. */
export const bodies: readonly string[] = [
  ...[
    { mints: [USDC, SOL, UNKNOWN, SOL, IDLE, UNKNOWN, TOKEN] },
    { addresses: [USDC, SOL, USDC] },
    { addresses: [USDC], mints: [SOL] },
    { addresses: [USDC], mints: [] },
    {},
    { other: 1 },
    { mints: ['1'.repeat(32), 'z'.repeat(44)] },
    { mints: [` ${SOL}`] },
    { mints: [SOL, ''] },
    { mints: [`0${SOL.slice(1)}`] },
    { mints: ['1'.repeat(31)] },
    { mints: ['1'.repeat(45)] },
    { mints: [SOL], addresses: ['bad'] },
    { mints: [1] },
    { mints: SOL },
    { mints: null, addresses: [SOL] },
    [],
    null,
  ].map((body) => JSON.stringify(body)),
  '',
  '{',
  '{"mints":[]} x',
];
