import { describe, expect, it } from 'vitest';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { stakePoolRank, TOKEN_ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { ANTHROPIC, KEY, keys, tokensApi, USDC } from './asking.ts';

const { ok } = tokensApi();

interface Variant {
  readonly mint: string;
  readonly kind: string;
  readonly symbol: string;
  readonly stockVariantTier?: string;
  readonly market: { readonly liquidity: number } | null;
}

interface Row {
  readonly assetId: string;
  readonly name?: string;
  readonly symbol?: string;
  readonly stats: { readonly volume24hUSD: number | null } | null;
  readonly canonicalMarket?: { readonly source: string };
  readonly primaryVariant: Variant | null;
  readonly variants?: readonly Variant[];
}

const curated = (query: string) => ok(`/v1/assets/curated?${query}`);
const rowsOf = async (query: string): Promise<Row[]> => (await curated(query)).assets;
const idsOf = (rows: readonly Row[]): string[] => rows.map(({ assetId }) => assetId);
const symbolsOf = (rows: readonly Row[]): (string | undefined)[] => rows.map((row) => row.primaryVariant?.symbol);
const search = async (query: string): Promise<Row[]> => (await ok(`/v1/assets/search?${query}`)).results;

const descending = (figures: readonly number[]): void => expect(figures).toEqual(figures.toSorted((a, b) => b - a));

describe('curated lists', () => {
  it('accept aliases and unknown names', async () => {
    expect((await curated('list=stables')).listId).toBe('currencies');
    expect((await curated('list=xstocks')).listId).toBe('etfs');
    expect((await curated('list=%20majors%20')).listId).toBe('majors');
    expect((await curated('list=nonsense')).listId).toBe('all');
    expect((await curated('list=majors&groupBy=nonsense')).assets).toEqual(await rowsOf('list=majors'));
  });

  it('are sorted by volume', async () => {
    const rows = await rowsOf('list=all');
    expect(rows.length).toBeGreaterThan(25);
    descending(rows.map(({ stats }) => stats?.volume24hUSD ?? 0));
    descending((await rowsOf('list=all&groupBy=mint')).map(({ stats }) => stats?.volume24hUSD ?? 0));
  });

  it('show the names and figures of the asset for each mint', async () => {
    const [asset] = (await rowsOf('list=majors')).filter(({ assetId }) => assetId === 'bitcoin');
    const mints = (await rowsOf('list=majors&groupBy=mint')).filter(({ assetId }) => assetId === 'bitcoin');
    expect(mints.length).toBeGreaterThan(1);
    expect(new Set(mints.map(({ primaryVariant }) => primaryVariant?.mint)).size).toBe(mints.length);
    for (const { primaryVariant: _, ...rest } of mints) {
      const { primaryVariant: _primary, ...same } = asset ?? {};
      expect(rest).toEqual(same);
    }
  });

  it('of staked coins have one asset, or the coins in the order of Sanctum', async () => {
    expect(idsOf(await rowsOf('list=lsts'))).toEqual(['solana']);
    const rows = await rowsOf('list=lsts&groupBy=mint');
    const ranks = rows.map(({ primaryVariant }) => stakePoolRank(primaryVariant?.mint ?? ''));
    expect(ranks).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(rows.every(({ primaryVariant }) => (primaryVariant?.market?.liquidity ?? 0) >= 250_000)).toBe(true);
    const all = symbolsOf(await rowsOf('list=lsts&groupBy=mint&variantsMode=all'));
    expect(all).toEqual([...symbolsOf(rows), 'laineSOL']);
  });

  it('choose the variant of a share by redeemability, and say so', async () => {
    expect((await curated('list=stocks')).primaryVariantStrategy).toBe('stock_redeemability');
    expect((await curated('list=majors')).primaryVariantStrategy).toBe('liquidity');
    const [spacex] = (await rowsOf('list=stocks')).filter(({ assetId }) => assetId === 'spacex');
    expect(spacex?.primaryVariant).toMatchObject({ symbol: 'SPCX', stockVariantTier: 'share_redeemable' });
  });

  it('exclude unredeemable variants before outliers, if the asset says so', async () => {
    const later = await startTokensApi({ key: KEY, now: () => Date.parse('2026-11-02T15:59:59Z') });
    const read = async (path: string) =>
      (await fetch(`${later.url}/v1/assets/${path}`, { headers: { 'x-api-key': KEY } })).json();
    const [{ assets }, { asset }] = [await read('curated?list=stocks'), await read('spacex')];
    await later.close();
    const [listed] = assets.filter(({ assetId }: Row) => assetId === 'spacex');
    expect([listed.primaryVariant.symbol, asset.primaryVariant.symbol]).toEqual(['SPCXon', 'SPCX']);
  });

  it('list unlisted companies by an id from the mint, and tokens without a name', async () => {
    const rows = await rowsOf('list=stocks');
    const [anthropic] = rows.filter(({ assetId }) => assetId === 'pre-pren1fvf');
    expect(anthropic).toMatchObject({ name: 'Anthropic', primaryVariant: { mint: ANTHROPIC } });
    expect(anthropic?.canonicalMarket).toBeUndefined();
    const [nameless = {}] = rows.filter(({ assetId }) => assetId.startsWith('stock-'));
    expect(keys(nameless)).toEqual(['assetId', 'category', 'imageUrl', 'primaryVariant', 'stats']);
  });
});

describe('every variant in a row', () => {
  it('comes with variants=all, by liquidity, including the primary one', async () => {
    const [spacex] = (await rowsOf('list=stocks&variants=all')).filter(({ assetId }) => assetId === 'spacex');
    expect(spacex?.variants?.map(({ symbol }) => symbol)).toEqual(['SPCXon', 'SPCXx', 'SPCX', 'SPACEX']);
    expect(spacex?.variants).toContainEqual(spacex?.primaryVariant);
    descending((spacex?.variants ?? []).map(({ market }) => market?.liquidity ?? 0));
  });

  it('comes neither by default nor for rows of mints', async () => {
    for (const query of ['list=stocks', 'list=stocks&variants=some', 'list=stocks&groupBy=mint&variants=all']) {
      expect(
        (await rowsOf(query)).some((row) => 'variants' in row),
        query,
      ).toBe(false);
    }
  });

  it('shows the staked coins that a list of mints shows', async () => {
    for (const mode of ['', '&variantsMode=all']) {
      const [solana] = await rowsOf(`list=lsts&variants=all${mode}`);
      const mints = await rowsOf(`list=lsts&groupBy=mint${mode}`);
      const own = solana?.variants?.map(({ mint }) => mint) ?? [];
      expect(new Set(own)).toEqual(new Set(mints.map(({ primaryVariant }) => primaryVariant?.mint)));
    }
    const [majors] = (await rowsOf('list=majors&variants=all')).filter(({ assetId }) => assetId === 'solana');
    expect(majors?.variants?.map(({ symbol }) => symbol)).toContain('laineSOL');
  });

  it('comes with a search', async () => {
    const [usd] = await search('q=usd&limit=1&variants=all');
    expect(usd?.variants?.length).toBeGreaterThan(5);
  });
});

describe('pages of a list', () => {
  it('need limit or offset', async () => {
    const whole = await curated('list=all');
    expect(keys(whole)).toEqual(['assets', 'listId', 'primaryVariantStrategy']);
    const total = whole.assets.length;
    const { pagination, assets } = await curated('list=all&offset=3&limit=4');
    expect(pagination).toEqual({ offset: 3, limit: 4, total, hasMore: true, nextOffset: 7 });
    expect(assets).toEqual(whole.assets.slice(3, 7));
  });

  it('have 250 rows by default and at most 500', async () => {
    expect((await curated('list=all&offset=0')).pagination.limit).toBe(250);
    expect((await curated('list=all&limit=9999')).pagination).toMatchObject({ offset: 0, limit: 500 });
  });

  it('continue to the end', async () => {
    const seen: Row[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { pagination, assets } = await curated(`list=all&groupBy=mint&limit=20&offset=${offset}`);
      seen.push(...assets);
      offset = pagination.nextOffset;
      expect(pagination.hasMore).toBe(offset !== null);
    }
    expect(seen).toEqual(await rowsOf('list=all&groupBy=mint'));
  });

  it('are empty beyond the end', async () => {
    const { pagination, assets } = await curated('list=metals&offset=99&limit=5');
    expect([pagination, assets]).toEqual([{ offset: 99, limit: 5, total: 2, hasMore: false, nextOffset: null }, []]);
  });

  it('can include variants', async () => {
    const { pagination, assets } = await curated('list=stocks&variants=all&limit=1');
    expect(pagination.hasMore).toBe(true);
    expect(assets[0].variants.length).toBeGreaterThan(0);
  });
});

describe('search', () => {
  it('finds uncurated tokens after the assets, in crypto only', async () => {
    const [token] = TOKEN_ASSETS;
    const name = `q=${token?.symbol?.toLowerCase()}`;
    const [row] = await search(name);
    const variant = { variantId: `${token?.id}:mint`, kind: 'native', label: token?.symbol };
    expect(row).toMatchObject({ assetId: token?.id, name: token?.name, primaryVariant: variant });
    expect(await search(`${name}&category=crypto`)).toHaveLength(1);
    expect(await search(`${name}&category=equity`)).toEqual([]);
  });

  it('finds Solana by the symbol of a staked coin, and an asset by a mint', async () => {
    expect(idsOf(await search('q=hSOL&limit=1'))).toEqual(['solana']);
    expect(idsOf(await search('q=vsol&limit=1'))).toEqual(['solana']);
    expect(idsOf(await search(`q=${USDC}`))).toEqual(['usd']);
  });

  it('echoes the query, limits the rows to 50 and chooses by liquidity', async () => {
    const answer = await ok('/v1/assets/search?q=%20tesla%20&limit=999&category=equity');
    expect(answer).toMatchObject({ query: 'tesla', category: 'equity', primaryVariantStrategy: 'liquidity' });
    expect((await ok('/v1/assets/search?q=tesla')).category).toBeNull();
    expect((await search('q=a&limit=1')).length).toBe(1);
  });
});
