// Made from the route table by `npm test -- tests/client/wrong-inputs.test.ts --update`; the compiler takes each row's
// example, and has to refuse what follows it.
import type { GatewayClient } from '@asset-gateway/client';

export function wrongInputs(client: GatewayClient): void {
  client.system.liveness();
  // @ts-expect-error an argument too many
  client.system.liveness('more');

  client.system.readiness();
  // @ts-expect-error an argument too many
  client.system.readiness('more');

  client.system.catalog({ provider: 'tokens' });
  // @ts-expect-error argument 1 of another kind
  client.system.catalog('nonsense');
  // @ts-expect-error a name that is none
  client.system.catalog({ provider: 'tokens', colour: 'red' });
  // @ts-expect-error another kind of provider
  client.system.catalog({ provider: 'nonsense' });
  // @ts-expect-error an argument too many
  client.system.catalog({ provider: 'tokens' }, 'more');

  client.system.openapi();
  // @ts-expect-error an argument too many
  client.system.openapi('more');

  client.system.wellKnown();
  // @ts-expect-error an argument too many
  client.system.wellKnown('more');

  client.system.llms();
  // @ts-expect-error an argument too many
  client.system.llms('more');

  client.tokens.health();
  // @ts-expect-error an argument too many
  client.tokens.health('more');

  client.tokens.search({ q: 'sol' });
  // @ts-expect-error argument 1 of another kind
  client.tokens.search('nonsense');
  // @ts-expect-error a name that is none
  client.tokens.search({ q: 'sol', colour: 'red' });
  // @ts-expect-error another kind of q
  client.tokens.search({ q: 5 });
  // @ts-expect-error another kind of limit
  client.tokens.search({ q: 'sol', limit: 'nonsense' });
  // @ts-expect-error another kind of category
  client.tokens.search({ q: 'sol', category: 5 });
  // @ts-expect-error an argument too many
  client.tokens.search({ q: 'sol' }, 'more');

  client.tokens.resolve({ ref: 'sol' });
  // @ts-expect-error argument 1 of another kind
  client.tokens.resolve('nonsense');
  // @ts-expect-error a name that is none
  client.tokens.resolve({ ref: 'sol', colour: 'red' });
  // @ts-expect-error another kind of ref
  client.tokens.resolve({ ref: 5 });
  // @ts-expect-error another kind of mint
  client.tokens.resolve({ ref: 'sol', mint: 5 });
  // @ts-expect-error none of a choice
  client.tokens.resolve({});
  // @ts-expect-error both of a choice
  client.tokens.resolve({ ref: 'x', mint: 'x' });
  // @ts-expect-error an argument too many
  client.tokens.resolve({ ref: 'sol' }, 'more');

  client.tokens.curated({ list: 'majors' });
  // @ts-expect-error argument 1 of another kind
  client.tokens.curated('nonsense');
  // @ts-expect-error a name that is none
  client.tokens.curated({ list: 'majors', colour: 'red' });
  // @ts-expect-error another kind of list
  client.tokens.curated({ list: 'nonsense' });
  // @ts-expect-error another kind of groupBy
  client.tokens.curated({ list: 'majors', groupBy: 'nonsense' });
  // @ts-expect-error an argument too many
  client.tokens.curated({ list: 'majors' }, 'more');

  client.tokens.marketSnapshots({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'] });
  // @ts-expect-error argument 1 of another kind
  client.tokens.marketSnapshots('nonsense');
  // @ts-expect-error a name that is none
  client.tokens.marketSnapshots({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'], colour: 'red' });
  // @ts-expect-error another kind of mints
  client.tokens.marketSnapshots({ mints: 'nonsense' });
  // @ts-expect-error another kind of addresses
  client.tokens.marketSnapshots({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'], addresses: 'nonsense' });
  // @ts-expect-error none of a choice
  client.tokens.marketSnapshots({});
  // @ts-expect-error an argument too many
  client.tokens.marketSnapshots({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'] }, 'more');

  client.tokens.variantMarkets({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'] });
  // @ts-expect-error argument 1 of another kind
  client.tokens.variantMarkets('nonsense');
  // @ts-expect-error a name that is none
  client.tokens.variantMarkets({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'], colour: 'red' });
  // @ts-expect-error another kind of mints
  client.tokens.variantMarkets({ mints: 'nonsense' });
  // @ts-expect-error another kind of addresses
  client.tokens.variantMarkets({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'], addresses: 'nonsense' });
  // @ts-expect-error none of a choice
  client.tokens.variantMarkets({});
  // @ts-expect-error an argument too many
  client.tokens.variantMarkets({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'] }, 'more');

  client.tokens.riskSummaryByMint({ mint: 'So11111111111111111111111111111111111111112' });
  // @ts-expect-error argument 1 of another kind
  client.tokens.riskSummaryByMint('nonsense');
  // @ts-expect-error a name that is none
  client.tokens.riskSummaryByMint({ mint: 'So11111111111111111111111111111111111111112', colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.riskSummaryByMint({ mint: 5 });
  // @ts-expect-error an argument too many
  client.tokens.riskSummaryByMint({ mint: 'So11111111111111111111111111111111111111112' }, 'more');

  client.tokens.assetDetail('solana', { include: ['profile', 'risk'] });
  // @ts-expect-error argument 1 of another kind
  client.tokens.assetDetail(5, { include: ['profile', 'risk'] });
  // @ts-expect-error argument 2 of another kind
  client.tokens.assetDetail('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], colour: 'red' });
  // @ts-expect-error another kind of include
  client.tokens.assetDetail('solana', { include: 'nonsense' });
  // @ts-expect-error another kind of mint
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], mint: 5 });
  // @ts-expect-error another kind of variantsMode
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], variantsMode: 'nonsense' });
  // @ts-expect-error another kind of ohlcvInterval
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], ohlcvInterval: 'nonsense' });
  // @ts-expect-error another kind of ohlcvFrom
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], ohlcvFrom: 'nonsense' });
  // @ts-expect-error another kind of ohlcvTo
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], ohlcvTo: 'nonsense' });
  // @ts-expect-error another kind of marketsOffset
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], marketsOffset: 'nonsense' });
  // @ts-expect-error another kind of marketsLimit
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'], marketsLimit: 'nonsense' });
  // @ts-expect-error nothing given
  client.tokens.assetDetail();
  // @ts-expect-error an argument too many
  client.tokens.assetDetail('solana', { include: ['profile', 'risk'] }, 'more');

  client.tokens.variants('solana');
  // @ts-expect-error argument 1 of another kind
  client.tokens.variants(5, {});
  // @ts-expect-error argument 2 of another kind
  client.tokens.variants('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.variants('solana', { colour: 'red' });
  // @ts-expect-error another kind of kind
  client.tokens.variants('solana', { kind: 'nonsense' });
  // @ts-expect-error another kind of liquidityTier
  client.tokens.variants('solana', { liquidityTier: 'nonsense' });
  // @ts-expect-error another kind of trustTier
  client.tokens.variants('solana', { trustTier: 'nonsense' });
  // @ts-expect-error another kind of mint
  client.tokens.variants('solana', { mint: 5 });
  // @ts-expect-error another kind of variantsMode
  client.tokens.variants('solana', { variantsMode: 'nonsense' });
  // @ts-expect-error nothing given
  client.tokens.variants();
  // @ts-expect-error an argument too many
  client.tokens.variants('solana', {}, 'more');

  client.tokens.variantTopMarkets('solana', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.tokens.variantTopMarkets(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.tokens.variantTopMarkets('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.variantTopMarkets('solana', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of offset
  client.tokens.variantTopMarkets('solana', { limit: 10, offset: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.tokens.variantTopMarkets('solana', { limit: 'nonsense' });
  // @ts-expect-error another kind of variantsMode
  client.tokens.variantTopMarkets('solana', { limit: 10, variantsMode: 'nonsense' });
  // @ts-expect-error nothing given
  client.tokens.variantTopMarkets();
  // @ts-expect-error an argument too many
  client.tokens.variantTopMarkets('solana', { limit: 10 }, 'more');

  client.tokens.variantMarket('solana');
  // @ts-expect-error argument 1 of another kind
  client.tokens.variantMarket(5, {});
  // @ts-expect-error argument 2 of another kind
  client.tokens.variantMarket('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.variantMarket('solana', { colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.variantMarket('solana', { mint: 5 });
  // @ts-expect-error nothing given
  client.tokens.variantMarket();
  // @ts-expect-error an argument too many
  client.tokens.variantMarket('solana', {}, 'more');

  client.tokens.markets('solana', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.tokens.markets(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.tokens.markets('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.markets('solana', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.markets('solana', { limit: 10, mint: 5 });
  // @ts-expect-error another kind of offset
  client.tokens.markets('solana', { limit: 10, offset: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.tokens.markets('solana', { limit: 'nonsense' });
  // @ts-expect-error nothing given
  client.tokens.markets();
  // @ts-expect-error an argument too many
  client.tokens.markets('solana', { limit: 10 }, 'more');

  client.tokens.ohlcv('solana', { interval: '1H' });
  // @ts-expect-error argument 1 of another kind
  client.tokens.ohlcv(5, { interval: '1H' });
  // @ts-expect-error argument 2 of another kind
  client.tokens.ohlcv('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.ohlcv('solana', { interval: '1H', colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.ohlcv('solana', { interval: '1H', mint: 5 });
  // @ts-expect-error another kind of interval
  client.tokens.ohlcv('solana', { interval: 'nonsense' });
  // @ts-expect-error another kind of from
  client.tokens.ohlcv('solana', { interval: '1H', from: 'nonsense' });
  // @ts-expect-error another kind of to
  client.tokens.ohlcv('solana', { interval: '1H', to: 'nonsense' });
  // @ts-expect-error nothing given
  client.tokens.ohlcv();
  // @ts-expect-error an argument too many
  client.tokens.ohlcv('solana', { interval: '1H' }, 'more');

  client.tokens.priceChart('solana', { interval: '1H' });
  // @ts-expect-error argument 1 of another kind
  client.tokens.priceChart(5, { interval: '1H' });
  // @ts-expect-error argument 2 of another kind
  client.tokens.priceChart('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.priceChart('solana', { interval: '1H', colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.priceChart('solana', { interval: '1H', mint: 5 });
  // @ts-expect-error another kind of interval
  client.tokens.priceChart('solana', { interval: 'nonsense' });
  // @ts-expect-error another kind of from
  client.tokens.priceChart('solana', { interval: '1H', from: 'nonsense' });
  // @ts-expect-error another kind of to
  client.tokens.priceChart('solana', { interval: '1H', to: 'nonsense' });
  // @ts-expect-error nothing given
  client.tokens.priceChart();
  // @ts-expect-error an argument too many
  client.tokens.priceChart('solana', { interval: '1H' }, 'more');

  client.tokens.profile('solana');
  // @ts-expect-error argument 1 of another kind
  client.tokens.profile(5);
  // @ts-expect-error nothing given
  client.tokens.profile();
  // @ts-expect-error an argument too many
  client.tokens.profile('solana', 'more');

  client.tokens.tickers('solana', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.tokens.tickers(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.tokens.tickers('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.tickers('solana', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of offset
  client.tokens.tickers('solana', { limit: 10, offset: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.tokens.tickers('solana', { limit: 'nonsense' });
  // @ts-expect-error another kind of order
  client.tokens.tickers('solana', { limit: 10, order: 5 });
  // @ts-expect-error nothing given
  client.tokens.tickers();
  // @ts-expect-error an argument too many
  client.tokens.tickers('solana', { limit: 10 }, 'more');

  client.tokens.riskSummary('solana');
  // @ts-expect-error argument 1 of another kind
  client.tokens.riskSummary(5, {});
  // @ts-expect-error argument 2 of another kind
  client.tokens.riskSummary('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.riskSummary('solana', { colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.riskSummary('solana', { mint: 5 });
  // @ts-expect-error nothing given
  client.tokens.riskSummary();
  // @ts-expect-error an argument too many
  client.tokens.riskSummary('solana', {}, 'more');

  client.tokens.riskDetails('solana');
  // @ts-expect-error argument 1 of another kind
  client.tokens.riskDetails(5, {});
  // @ts-expect-error argument 2 of another kind
  client.tokens.riskDetails('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.riskDetails('solana', { colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.riskDetails('solana', { mint: 5 });
  // @ts-expect-error nothing given
  client.tokens.riskDetails();
  // @ts-expect-error an argument too many
  client.tokens.riskDetails('solana', {}, 'more');

  client.tokens.description('solana');
  // @ts-expect-error argument 1 of another kind
  client.tokens.description(5, {});
  // @ts-expect-error argument 2 of another kind
  client.tokens.description('solana', 'nonsense');
  // @ts-expect-error a name that is none
  client.tokens.description('solana', { colour: 'red' });
  // @ts-expect-error another kind of mint
  client.tokens.description('solana', { mint: 5 });
  // @ts-expect-error nothing given
  client.tokens.description();
  // @ts-expect-error an argument too many
  client.tokens.description('solana', {}, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance(5, {});
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', { colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', { commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', { minContextSlot: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', {}, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo(5, { encoding: 'base64' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' }, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction(5, { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, commitment: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, encoding: 'nonsense' });
  // @ts-expect-error another kind of maxSupportedTransactionVersion
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, before: 5 });
  // @ts-expect-error another kind of until
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, until: 5 });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner(5, { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', 'nonsense', { encoding: 'jsonParsed' });
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', colour: 'red' }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of mint
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', mint: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of programId
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 3 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', dataSlice: 'nonsense' });
  // @ts-expect-error none of a choice
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', {}, { encoding: 'jsonParsed' });
  // @ts-expect-error both of a choice
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { mint: 'x', programId: 'x' }, { encoding: 'jsonParsed' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' }, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts(5, { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'nonsense', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of withContext
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, withContext: 'nonsense' });
  // @ts-expect-error another kind of sortResults
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, sortResults: 'nonsense' });
  // @ts-expect-error another kind of filters
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: 'nonsense', dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance(5, {});
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', { colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', { commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', { minContextSlot: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', {}, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo(5, { encoding: 'base64' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction(5, { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, commitment: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, encoding: 'nonsense' });
  // @ts-expect-error another kind of maxSupportedTransactionVersion
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, before: 5 });
  // @ts-expect-error another kind of until
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, until: 5 });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner(5, { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', 'nonsense', { encoding: 'jsonParsed' });
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', colour: 'red' }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of mint
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', mint: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of programId
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 3 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', dataSlice: 'nonsense' });
  // @ts-expect-error none of a choice
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', {}, { encoding: 'jsonParsed' });
  // @ts-expect-error both of a choice
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { mint: 'x', programId: 'x' }, { encoding: 'jsonParsed' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts(5, { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'nonsense', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of withContext
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, withContext: 'nonsense' });
  // @ts-expect-error another kind of sortResults
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, sortResults: 'nonsense' });
  // @ts-expect-error another kind of filters
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: 'nonsense', dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of transactionDetails
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, transactionDetails: 'nonsense' });
  // @ts-expect-error another kind of sortOrder
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, sortOrder: 'nonsense' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 'nonsense' });
  // @ts-expect-error another kind of paginationToken
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, paginationToken: 5 });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, encoding: 'nonsense' });
  // @ts-expect-error another kind of maxSupportedTransactionVersion
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, maxSupportedTransactionVersion: 'nonsense' });
  // @ts-expect-error another kind of filters
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, filters: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10 }, 'more');

  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance(5, {});
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', { colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', { commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', { minContextSlot: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getBalance('So11111111111111111111111111111111111111112', {}, 'more');

  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo(5, { encoding: 'base64' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' }, 'more');

  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction(5, { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, commitment: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, encoding: 'nonsense' });
  // @ts-expect-error another kind of maxSupportedTransactionVersion
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 }, 'more');

  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, before: 5 });
  // @ts-expect-error another kind of until
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, until: 5 });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 }, 'more');

  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner(5, { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', 'nonsense', { encoding: 'jsonParsed' });
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', colour: 'red' }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of mint
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', mint: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of programId
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 3 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', dataSlice: 'nonsense' });
  // @ts-expect-error none of a choice
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', {}, { encoding: 'jsonParsed' });
  // @ts-expect-error both of a choice
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { mint: 'x', programId: 'x' }, { encoding: 'jsonParsed' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' }, 'more');

  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts(5, { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'nonsense', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of withContext
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, withContext: 'nonsense' });
  // @ts-expect-error another kind of sortResults
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, sortResults: 'nonsense' });
  // @ts-expect-error another kind of filters
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: 'nonsense', dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'alchemy' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance(5, {});
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', { colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', { commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', { minContextSlot: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getBalance('So11111111111111111111111111111111111111112', {}, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo(5, { encoding: 'base64' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64', dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction(5, { maxSupportedTransactionVersion: 0 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, commitment: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0, encoding: 'nonsense' });
  // @ts-expect-error another kind of maxSupportedTransactionVersion
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, before: 5 });
  // @ts-expect-error another kind of until
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10, until: 5 });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner(5, { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', 'nonsense', { encoding: 'jsonParsed' });
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', colour: 'red' }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of mint
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', mint: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error another kind of programId
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 5 }, { encoding: 'jsonParsed' });
  // @ts-expect-error argument 3 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'nonsense' });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed', dataSlice: 'nonsense' });
  // @ts-expect-error none of a choice
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', {}, { encoding: 'jsonParsed' });
  // @ts-expect-error both of a choice
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { mint: 'x', programId: 'x' }, { encoding: 'jsonParsed' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts(5, { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, colour: 'red' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'nonsense', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of withContext
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, withContext: 'nonsense' });
  // @ts-expect-error another kind of sortResults
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 }, sortResults: 'nonsense' });
  // @ts-expect-error another kind of filters
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: 'nonsense', dataSlice: { offset: 0, length: 32 } });
  // @ts-expect-error another kind of dataSlice
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress(5, { limit: 10 });
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, colour: 'red' });
  // @ts-expect-error another kind of transactionDetails
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, transactionDetails: 'nonsense' });
  // @ts-expect-error another kind of sortOrder
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, sortOrder: 'nonsense' });
  // @ts-expect-error another kind of commitment
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, commitment: 'nonsense' });
  // @ts-expect-error another kind of minContextSlot
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, minContextSlot: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 'nonsense' });
  // @ts-expect-error another kind of paginationToken
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, paginationToken: 5 });
  // @ts-expect-error another kind of encoding
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, encoding: 'nonsense' });
  // @ts-expect-error another kind of maxSupportedTransactionVersion
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, maxSupportedTransactionVersion: 'nonsense' });
  // @ts-expect-error another kind of filters
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10, filters: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAsset('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112', colour: 'red' });
  // @ts-expect-error another kind of id
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAsset({ id: 5 });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112', options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112' }, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, colour: 'red' });
  // @ts-expect-error another kind of ownerAddress
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 5, page: 1, limit: 10 });
  // @ts-expect-error another kind of page
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 'nonsense', limit: 10 });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, before: 5 });
  // @ts-expect-error another kind of after
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, after: 5 });
  // @ts-expect-error another kind of cursor
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, cursor: 5 });
  // @ts-expect-error another kind of sortBy
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, sortBy: 'nonsense' });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, colour: 'red' });
  // @ts-expect-error another kind of ownerAddress
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 5, tokenType: 'fungible', page: 1, limit: 10 });
  // @ts-expect-error another kind of tokenType
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'nonsense', page: 1, limit: 10 });
  // @ts-expect-error another kind of creatorAddress
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, creatorAddress: 5 });
  // @ts-expect-error another kind of creatorVerified
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, creatorVerified: 'nonsense' });
  // @ts-expect-error another kind of authorityAddress
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, authorityAddress: 5 });
  // @ts-expect-error another kind of grouping
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, grouping: 'nonsense' });
  // @ts-expect-error another kind of delegate
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, delegate: 5 });
  // @ts-expect-error another kind of frozen
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, frozen: 'nonsense' });
  // @ts-expect-error another kind of burnt
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, burnt: 'nonsense' });
  // @ts-expect-error another kind of compressed
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, compressed: 'nonsense' });
  // @ts-expect-error another kind of compressible
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, compressible: 'nonsense' });
  // @ts-expect-error another kind of jsonUri
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, jsonUri: 5 });
  // @ts-expect-error another kind of page
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 'nonsense', limit: 10 });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, before: 5 });
  // @ts-expect-error another kind of after
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, after: 5 });
  // @ts-expect-error another kind of cursor
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, cursor: 5 });
  // @ts-expect-error another kind of sortBy
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, sortBy: 'nonsense' });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'alchemy' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAsset('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112', colour: 'red' });
  // @ts-expect-error another kind of id
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAsset({ id: 5 });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112', options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112' }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, colour: 'red' });
  // @ts-expect-error another kind of ownerAddress
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 5, page: 1, limit: 10 });
  // @ts-expect-error another kind of page
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 'nonsense', limit: 10 });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, before: 5 });
  // @ts-expect-error another kind of after
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, after: 5 });
  // @ts-expect-error another kind of cursor
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, cursor: 5 });
  // @ts-expect-error another kind of sortBy
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, sortBy: 'nonsense' });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, colour: 'red' });
  // @ts-expect-error another kind of ownerAddress
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 5, tokenType: 'fungible', page: 1, limit: 10 });
  // @ts-expect-error another kind of tokenType
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'nonsense', page: 1, limit: 10 });
  // @ts-expect-error another kind of creatorAddress
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, creatorAddress: 5 });
  // @ts-expect-error another kind of creatorVerified
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, creatorVerified: 'nonsense' });
  // @ts-expect-error another kind of authorityAddress
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, authorityAddress: 5 });
  // @ts-expect-error another kind of grouping
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, grouping: 'nonsense' });
  // @ts-expect-error another kind of delegate
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, delegate: 5 });
  // @ts-expect-error another kind of frozen
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, frozen: 'nonsense' });
  // @ts-expect-error another kind of burnt
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, burnt: 'nonsense' });
  // @ts-expect-error another kind of compressed
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, compressed: 'nonsense' });
  // @ts-expect-error another kind of compressible
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, compressible: 'nonsense' });
  // @ts-expect-error another kind of jsonUri
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, jsonUri: 5 });
  // @ts-expect-error another kind of page
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 'nonsense', limit: 10 });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, before: 5 });
  // @ts-expect-error another kind of after
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, after: 5 });
  // @ts-expect-error another kind of cursor
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, cursor: 5 });
  // @ts-expect-error another kind of sortBy
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, sortBy: 'nonsense' });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10 }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112' });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAsset('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112', colour: 'red' });
  // @ts-expect-error another kind of id
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAsset({ id: 5 });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112', options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAsset({ id: 'So11111111111111111111111111111111111111112' }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, colour: 'red' });
  // @ts-expect-error another kind of ownerAddress
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 5, page: 1, limit: 10 });
  // @ts-expect-error another kind of page
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 'nonsense', limit: 10 });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, before: 5 });
  // @ts-expect-error another kind of after
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, after: 5 });
  // @ts-expect-error another kind of cursor
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, cursor: 5 });
  // @ts-expect-error another kind of sortBy
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, sortBy: 'nonsense' });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10, options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10 }, 'more');

  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10 });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, colour: 'red' });
  // @ts-expect-error another kind of ownerAddress
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 5, tokenType: 'fungible', page: 1, limit: 10 });
  // @ts-expect-error another kind of tokenType
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'nonsense', page: 1, limit: 10 });
  // @ts-expect-error another kind of creatorAddress
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, creatorAddress: 5 });
  // @ts-expect-error another kind of creatorVerified
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, creatorVerified: 'nonsense' });
  // @ts-expect-error another kind of authorityAddress
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, authorityAddress: 5 });
  // @ts-expect-error another kind of grouping
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, grouping: 'nonsense' });
  // @ts-expect-error another kind of delegate
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, delegate: 5 });
  // @ts-expect-error another kind of frozen
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, frozen: 'nonsense' });
  // @ts-expect-error another kind of burnt
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, burnt: 'nonsense' });
  // @ts-expect-error another kind of compressed
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, compressed: 'nonsense' });
  // @ts-expect-error another kind of compressible
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, compressible: 'nonsense' });
  // @ts-expect-error another kind of jsonUri
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, jsonUri: 5 });
  // @ts-expect-error another kind of page
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 'nonsense', limit: 10 });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, before: 5 });
  // @ts-expect-error another kind of after
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, after: 5 });
  // @ts-expect-error another kind of cursor
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, cursor: 5 });
  // @ts-expect-error another kind of sortBy
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, sortBy: 'nonsense' });
  // @ts-expect-error another kind of options
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10, options: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet', provider: 'helius' }).das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10 }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.identity('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.identity(5);
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.identity();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.identity('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.batchIdentity({ wallets: ['86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY'] });
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.batchIdentity('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.batchIdentity({ wallets: ['86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY'], colour: 'red' });
  // @ts-expect-error another kind of wallets
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.batchIdentity({ wallets: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.batchIdentity({ wallets: ['86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY'] }, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances(5, {});
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { colour: 'red' });
  // @ts-expect-error another kind of page
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { page: 'nonsense' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { limit: 'nonsense' });
  // @ts-expect-error another kind of showZeroBalance
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { showZeroBalance: 'nonsense' });
  // @ts-expect-error another kind of showNative
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { showNative: 'nonsense' });
  // @ts-expect-error another kind of showNfts
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { showNfts: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', {}, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history(5, {});
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { colour: 'red' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { limit: 'nonsense' });
  // @ts-expect-error another kind of before
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { before: 5 });
  // @ts-expect-error another kind of after
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { after: 5 });
  // @ts-expect-error another kind of type
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { type: 'nonsense' });
  // @ts-expect-error another kind of tokenAccounts
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { tokenAccounts: 'nonsense' });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', {}, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers(5, {});
  // @ts-expect-error argument 2 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { colour: 'red' });
  // @ts-expect-error another kind of limit
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { limit: 'nonsense' });
  // @ts-expect-error another kind of cursor
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', { cursor: 5 });
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.transfers('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', {}, 'more');

  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.fundedBy('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY');
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.fundedBy(5);
  // @ts-expect-error nothing given
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.fundedBy();
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet', provider: 'helius' }).wallet.fundedBy('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'more');

  client.system.didDocument();
  // @ts-expect-error an argument too many
  client.system.didDocument('more');

  client.credit.balance();
  // @ts-expect-error an argument too many
  client.credit.balance('more');

  client.with({ cluster: 'mainnet' }).credit.buy();
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'mainnet' }).credit.buy('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'mainnet' }).credit.buy({ colour: 'red' });
  // @ts-expect-error another kind of usd
  client.with({ cluster: 'mainnet' }).credit.buy({ usd: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'mainnet' }).credit.buy({}, 'more');

  client.with({ cluster: 'devnet' }).credit.buy();
  // @ts-expect-error argument 1 of another kind
  client.with({ cluster: 'devnet' }).credit.buy('nonsense');
  // @ts-expect-error a name that is none
  client.with({ cluster: 'devnet' }).credit.buy({ colour: 'red' });
  // @ts-expect-error another kind of usd
  client.with({ cluster: 'devnet' }).credit.buy({ usd: 'nonsense' });
  // @ts-expect-error an argument too many
  client.with({ cluster: 'devnet' }).credit.buy({}, 'more');
}
