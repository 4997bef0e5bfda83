import type { AssetRow } from '../model.ts';

/** Tokens that nobody has curated: the upstream has a row of each token and knows no asset that it stands for. */
export const TOKENS: readonly Pick<
  AssetRow,
  'symbol' | 'name' | 'price' | 'volatility' | 'supply' | 'since' | 'about'
>[] = [
  {
    symbol: 'MOSS',
    name: 'Mossy Cat',
    price: 0.00031,
    volatility: 0.92,
    supply: 999_000_000,
    since: '2025-03-10',
    about: 'Mossy Cat is a meme coin.',
  },
  {
    symbol: 'LANTERN',
    name: 'Lantern Protocol',
    price: 0.042,
    volatility: 0.66,
    supply: 420_000_000,
    since: '2024-11-04',
    about: 'Lantern is the token of a lending market.',
  },
  {
    symbol: 'TIDE',
    name: 'Tidewater',
    price: 0.0071,
    volatility: 0.74,
    supply: 1_000_000_000,
    since: '2025-01-20',
    about: 'Tidewater is the token of a weather oracle.',
  },
  {
    symbol: 'QUILL',
    name: 'Quillpad',
    price: 0.19,
    volatility: 0.61,
    supply: 88_000_000,
    since: '2024-06-17',
    about: 'Quillpad pays writers.',
  },
];
