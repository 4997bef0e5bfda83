import type {
  TokensAssetDetailResult,
  TokensMarketsResult,
  TokensPriceChartResult,
  TokensRiskSummaryByMintResult,
  TokensSearchResult,
  TokensTickersResult,
  TokensVariantsResult,
  WalletBalancesResult,
} from '@asset-gateway/client';
import {
  amountFigure,
  changeFigure,
  compactFigure,
  isNumber,
  momentText,
  priceFigure,
  UNKNOWN,
} from '@asset-gateway/protocol';
import { type Canvas, candleChart, period, sparkline } from './chart.ts';
import { table } from './table.ts';
import type { Colours } from './terminal.ts';

/** Formats a result as lines. Throws if it does not know the result. */
export type Formatter = (result: never, canvas: Canvas) => string[];

const signed =
  ({ green, red }: Colours) =>
  (text: string, value: unknown): string =>
    isNumber(value) && value !== 0 ? (value > 0 ? green : red)(text) : text;

export const search = ({ results }: TokensSearchResult, { columns, colours }: Canvas): string[] => {
  if (results.length === 0) return ['No results.'];
  return table(results, columns, [
    { title: 'ASSET', cell: ({ assetId }) => assetId, minWidth: 10, paint: colours.bold },
    { title: 'PRICE', cell: ({ stats }) => priceFigure(stats?.price), align: 'right' },
    {
      title: '24H',
      cell: ({ stats }) => changeFigure(stats?.priceChange24hPercent),
      align: 'right',
      paint: (text, { stats }) => signed(colours)(text, stats?.priceChange24hPercent),
    },
    { title: 'NAME', cell: ({ name = '' }) => name, minWidth: 8 },
    { title: 'SYMBOL', cell: ({ symbol = '' }) => symbol },
    { title: 'KIND', cell: ({ category = '' }) => category },
    { title: 'LIQUIDITY', cell: ({ stats }) => amountFigure(stats?.liquidity), align: 'right' },
  ]);
};

export const assetPrice = ({ asset, includes }: TokensAssetDetailResult, { columns, colours }: Canvas): string[] => {
  const { name = asset.assetId, symbol, stats } = asset;
  const candles = includes?.ohlcv?.ok ? includes.ohlcv.data : [];
  const closes = candles.map(({ close }) => close);
  const moved = changeFigure(stats?.priceChange24hPercent);
  return [
    `${colours.bold(name)}${symbol ? ` ${symbol}` : ''}`,
    `${colours.bold(priceFigure(stats?.price))}  ${signed(colours)(moved, stats?.priceChange24hPercent)} in 24 hours`,
    ...(closes.length > 1 ? [sparkline(closes, columns)] : []),
    `market cap ${amountFigure(stats?.marketCap)}  liquidity ${amountFigure(stats?.liquidity)}`,
    `volume ${amountFigure(stats?.volume24hUSD)} in 24 hours`,
  ];
};

export const chart = ({ assetId, interval, candles }: TokensPriceChartResult, canvas: Canvas): string[] => {
  const { colours } = canvas;
  const [first, last] = [candles[0], candles.at(-1)];
  if (!first || !last) return [`No candles of ${assetId} in this range.`];
  const isIntraday = !/^\d+[DWM]$/i.test(interval);
  const head = `${colours.bold(assetId)}  ${interval}  ${priceFigure(last.close)}  `;
  const moved = (last.close / first.open - 1) * 100;
  const span = last.time - first.time + (candles[1] ? candles[1].time - first.time : 0);
  return [
    `${head}${signed(colours)(changeFigure(moved), moved)}${span > 0 ? ` in ${period(span)}` : ''}`,
    ...candleChart(candles, canvas),
    colours.dim(`${momentText(first.time, isIntraday)} to ${momentText(last.time, isIntraday)} UTC`),
  ];
};

export const variants = ({ variants: rows }: TokensVariantsResult, { columns }: Canvas): string[] =>
  table(rows, columns, [
    { title: 'SYMBOL', cell: ({ symbol = '' }) => symbol, minWidth: 8 },
    { title: 'PRICE', cell: ({ market }) => priceFigure(market?.price), align: 'right' },
    { title: 'LIQUIDITY', cell: ({ market }) => amountFigure(market?.liquidity), align: 'right' },
    { title: 'KIND', cell: ({ kind = '' }) => kind },
    { title: 'ISSUER', cell: ({ issuer }) => issuer ?? '', minWidth: 8 },
    { title: 'MINT', cell: ({ mint }) => mint, minWidth: 12 },
  ]);

export const risk = (result: TokensRiskSummaryByMintResult, { colours }: Canvas): string[] => {
  const { score, grade, label, tone, hasInsufficientData, insufficientDataReason } = result;
  if (hasInsufficientData) return [`Not enough data: ${insufficientDataReason ?? 'no reason given'}.`];
  const paint = tone === 'safe' ? colours.green : tone === 'risk' ? colours.red : colours.yellow;
  return [`${paint(`${grade ?? UNKNOWN}  ${label ?? ''}`)}  ${compactFigure(score)} of 100`];
};

export const markets = ({ markets: rows }: TokensMarketsResult, { columns }: Canvas): string[] =>
  table(rows, columns, [
    { title: 'MARKET', cell: ({ name = '' }) => name, minWidth: 8 },
    { title: 'PRICE', cell: (row) => priceFigure(row.price), align: 'right' },
    { title: 'LIQUIDITY', cell: ({ liquidity }) => amountFigure(liquidity), align: 'right' },
    { title: 'VOLUME', cell: ({ volume24h }) => amountFigure(volume24h), align: 'right' },
    { title: 'ADDRESS', cell: ({ address }) => address, minWidth: 12 },
  ]);

export const tickers = ({ tickers: { rows } }: TokensTickersResult, { columns }: Canvas): string[] =>
  table(rows, columns, [
    { title: 'EXCHANGE', cell: ({ market }) => market.name, minWidth: 10 },
    { title: 'PAIR', cell: ({ base, target }) => `${base}/${target}` },
    { title: 'PRICE', cell: ({ priceUsd }) => priceFigure(priceUsd), align: 'right' },
    { title: 'VOLUME', cell: ({ volume24hUsd }) => amountFigure(volume24hUsd), align: 'right' },
    { title: 'SPREAD', cell: ({ spreadPercent }) => changeFigure(spreadPercent).replace('+', ''), align: 'right' },
  ]);

export const balances = ({ balances: rows }: WalletBalancesResult, { columns }: Canvas): string[] =>
  table(rows, columns, [
    { title: 'TOKEN', cell: ({ symbol, mint }) => symbol || mint, minWidth: 8 },
    { title: 'BALANCE', cell: ({ balance }) => compactFigure(balance), align: 'right' },
    { title: 'VALUE', cell: ({ usdValue }) => priceFigure(usdValue), align: 'right' },
    { title: 'PRICE', cell: ({ pricePerToken }) => priceFigure(pricePerToken), align: 'right' },
    { title: 'NAME', cell: ({ name }) => name ?? '', minWidth: 8 },
    { title: 'MINT', cell: ({ mint }) => mint, minWidth: 12 },
  ]);
