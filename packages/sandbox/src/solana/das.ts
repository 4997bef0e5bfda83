import { TOKEN_PROGRAM } from '../chain/addresses.ts';
import { isObject, type Json, type JsonObject } from '../chain/json.ts';
import { invalidParams, RpcError } from '../chain/json-rpc.ts';
import { addressIn, choiceOf, configAt, integerOf } from '../chain/params.ts';
import { addressFrom, draw, EXAMPLES, holdingsOf, lamportsOf, type Token, tokensOf } from './catalogue.ts';
import { isOnChain, type World } from './world.ts';

const MAX_LIMIT = 1000;
const TOKEN_TYPES = ['fungible', 'nonFungible', 'regularNft', 'compressedNft', 'all'] as const;

const base = (id: string) => ({
  authorities: [{ address: addressFrom(`${id}:authority`), scopes: ['full'] }],
  burnt: false,
  mutable: true,
});

const compression = (id: string, isCompressed: boolean): JsonObject => ({
  asset_hash: isCompressed ? addressFrom(`${id}:asset-hash`) : '',
  compressed: isCompressed,
  creator_hash: isCompressed ? addressFrom(`${id}:creator-hash`) : '',
  data_hash: isCompressed ? addressFrom(`${id}:data-hash`) : '',
  eligible: false,
  leaf_id: isCompressed ? draw(`${id}:leaf`, 1_048_576) : 0,
  seq: isCompressed ? draw(`${id}:seq`, 2_000_000) : 0,
  tree: isCompressed ? addressFrom(`${id}:tree`) : '',
});

const content = (name: string, symbol: string, id: string): JsonObject => ({
  $schema: 'https://schema.metaplex.com/nft1.0.json',
  files: [{ mime: 'image/png', uri: `https://img.example/${id}.png` }],
  json_uri: `https://meta.example/${id}.json`,
  links: { image: `https://img.example/${id}.png` },
  metadata: { attributes: [], description: `${name}, simulated by the sandbox`, name, symbol },
});

const ownership = (owner: string): JsonObject => ({
  delegate: null,
  delegated: false,
  frozen: false,
  owner,
  ownership_model: 'single',
});

const isCompressed = (id: string): boolean => draw(`${id}:compressed`, 3) === 0;

function nftAsset(id: string, owner: string): JsonObject {
  const number = draw(`${id}:number`, 10_000);
  return {
    interface: 'V1_NFT',
    id,
    content: content(`Sandbox #${number}`, 'SBX', id),
    ...base(id),
    compression: compression(id, isCompressed(id)),
    creators: [{ address: addressFrom(`${id}:creator`), share: 100, verified: true }],
    grouping: [{ group_key: 'collection', group_value: addressFrom('sandbox-collection') }],
    ownership: ownership(owner),
    royalty: {
      basis_points: 500,
      locked: false,
      percent: 0.05,
      primary_sale_happened: true,
      royalty_model: 'creators',
      target: null,
    },
    supply: { edition_nonce: 254, print_current_supply: 0, print_max_supply: 0 },
  };
}

function tokenAsset(token: Token, holding?: { readonly owner: string; readonly balance: bigint }): JsonObject {
  const { mint, name, symbol, decimals, supply, priceUsd } = token;
  return {
    interface: 'FungibleToken',
    id: mint,
    content: content(name, symbol, mint),
    ...base(mint),
    compression: compression(mint, false),
    creators: [],
    grouping: [],
    ownership: { ...ownership(holding?.owner ?? ''), ownership_model: 'token' },
    royalty: {
      basis_points: 0,
      locked: false,
      percent: 0,
      primary_sale_happened: false,
      royalty_model: 'creators',
      target: null,
    },
    supply: null,
    token_info: {
      balance: holding?.balance,
      decimals,
      price_info: { currency: 'USDC', price_per_token: priceUsd },
      supply,
      symbol,
      token_program: TOKEN_PROGRAM,
    },
  };
}

function getAsset(params: JsonObject, { cluster }: World): Json {
  const id = addressIn(params.id);
  if (id === EXAMPLES.absent) throw new RpcError(-32004, `RecordNotFound Error: Asset Not Found: ${id}`);
  const token = tokensOf(cluster).find(({ mint }) => mint === id);
  return token ? tokenAsset(token) : nftAsset(id, addressFrom(`${id}:owner`));
}

async function assetsOf(owner: string, world: World) {
  if (await isOnChain(owner, world)) {
    const [usdc] = tokensOf(world.cluster);
    const balance = await world.chain.usdcBalance(owner);
    return { nfts: [], tokens: usdc && balance > 0n ? [tokenAsset(usdc, { owner, balance })] : [] };
  }
  const count = owner === EXAMPLES.absent ? 0 : 5 + draw(`${owner}:nfts`, 60);
  const ids = Array.from({ length: count }, (_, index) => addressFrom(`${owner}:nft:${index}`));
  const tokens = holdingsOf(owner, world.cluster);
  return {
    nfts: ids.map((id) => ({ id, asset: nftAsset(id, owner) })),
    tokens: tokens.map(({ token, amount }) => tokenAsset(token, { owner, balance: amount })),
  };
}

async function pageOf(items: readonly Json[], params: JsonObject, owner: string, world: World): Promise<Json> {
  const limit = integerOf(params, 'limit', { min: 1, max: MAX_LIMIT }) ?? MAX_LIMIT;
  const page = integerOf(params, 'page', { min: 1, max: 10_000 }) ?? 1;
  if (params.page !== undefined && (params.before !== undefined || params.after !== undefined)) {
    throw invalidParams('Pagination Error. Only one pagination parameter supported per query.');
  }
  const options = params.options === undefined ? {} : configAt([params.options], 0);
  const shown = items.slice((page - 1) * limit, page * limit);
  const lamports = world.chain.lamports(owner) || lamportsOf(owner);
  return {
    last_indexed_slot: await world.chain.answer('getSlot', [{ commitment: 'confirmed' }]),
    total: shown.length,
    limit,
    page,
    grand_total: options.showGrandTotal === true ? items.length : undefined,
    items: shown,
    nativeBalance: options.showNativeBalance === true ? { lamports } : undefined,
  };
}

async function getAssetsByOwner(params: JsonObject, world: World): Promise<Json> {
  const owner = addressIn(params.ownerAddress);
  const options = params.options === undefined ? {} : configAt([params.options], 0);
  if (isObject(params.sortBy)) {
    choiceOf(params.sortBy, 'sortBy', ['created', 'recent_action', 'updated', 'none']);
    choiceOf(params.sortBy, 'sortDirection', ['asc', 'desc']);
  }
  const { nfts, tokens } = await assetsOf(owner, world);
  const items = [...nfts.map(({ asset }) => asset), ...(options.showFungible === true ? tokens : [])];
  return pageOf(items, params, owner, world);
}

async function searchAssets(params: JsonObject, world: World): Promise<Json> {
  const owner = addressIn(params.ownerAddress);
  const type = choiceOf(params, 'tokenType', TOKEN_TYPES);
  if (type === undefined) throw invalidParams('Must provide `tokenType` if `ownerAddress` is provided');
  const { nfts, tokens } = await assetsOf(owner, world);
  const wanted = nfts.filter(
    ({ id }) => type === 'all' || type === 'nonFungible' || (type === 'compressedNft') === isCompressed(id),
  );
  const items = [
    ...(type === 'fungible' ? [] : wanted.map(({ asset }) => asset)),
    ...(type === 'fungible' || type === 'all' ? tokens : []),
  ];
  return pageOf(items, params, owner, world);
}

/** The methods about assets, with named parameters. */
export const DAS_METHODS: Readonly<Record<string, (params: JsonObject, world: World) => Json | Promise<Json>>> = {
  getAsset,
  getAssetsByOwner,
  searchAssets,
};
