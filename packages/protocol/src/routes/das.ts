import Type, { type TProperties } from 'typebox';
import { address, integer, oneOf, optional, text } from '../parameters.ts';
import * as results from '../results/das.ts';
import type { Route } from '../route.ts';
import { type RpcMethod, rpcRows, strictObject } from './row.ts';

const EXAMPLE_ADDRESS = 'So11111111111111111111111111111111111111112';

const flag = optional(Type.Boolean());
const cursor = optional(text('The cursor of a page.', 200));

const paging = {
  page: optional(integer(1, 10_000, 'Which page.')),
  limit: optional(integer(1, 100, 'How many.')),
  before: cursor,
  after: cursor,
  cursor,
  sortBy: optional(
    strictObject('The order.', {
      sortBy: oneOf(['created', 'recent_action', 'updated', 'none', 'id'], 'By what.'),
      sortDirection: optional(oneOf(['asc', 'desc'], 'Which way.')),
    }),
  ),
};
const shown = {
  showUnverifiedCollections: flag,
  showCollectionMetadata: flag,
  showFungible: flag,
  showInscription: flag,
};
const options = optional(
  strictObject('What to show.', { ...shown, showGrandTotal: flag, showNativeBalance: flag, showZeroBalance: flag }),
);

const named = (params: TProperties) => strictObject('Named parameters.', params);

const METHODS: Readonly<Record<keyof typeof results, RpcMethod>> = {
  getAsset: {
    description: 'One digital asset.',
    alchemy: 80,
    helius: 10,
    params: named({ id: address('The asset.'), options: optional(strictObject('What to show.', shown)) }),
    example: { id: EXAMPLE_ADDRESS },
  },
  getAssetsByOwner: {
    description: 'The digital assets of a wallet.',
    alchemy: 480,
    helius: 10,
    params: named({ ownerAddress: address('The wallet.'), ...paging, options }),
    example: { ownerAddress: EXAMPLE_ADDRESS, page: 1, limit: 10 },
  },
  searchAssets: {
    description: 'Digital assets by owner, kind and other criteria.',
    alchemy: 480,
    helius: 10,
    params: named({
      ownerAddress: optional(address('The wallet.')),
      tokenType: optional(oneOf(['fungible', 'nonFungible', 'regularNft', 'compressedNft', 'all'], 'Which kind.')),
      creatorAddress: optional(address('A creator.')),
      creatorVerified: flag,
      authorityAddress: optional(address('An authority.')),
      grouping: optional(Type.Array(text('A key or a value.'), { minItems: 2, maxItems: 2 })),
      delegate: optional(address('A delegate.')),
      frozen: flag,
      burnt: flag,
      compressed: flag,
      compressible: flag,
      jsonUri: optional(text('Address of the metadata.')),
      ...paging,
      options,
    }),
    example: { ownerAddress: EXAMPLE_ADDRESS, tokenType: 'fungible', page: 1, limit: 10 },
  },
};

/** Alchemy serves digital assets on mainnet only. */
const SERVED = [
  ['mainnet', 'alchemy'],
  ['mainnet', 'helius'],
  ['devnet', 'helius'],
] as const;

/** The paid DAS routes. */
export const dasRoutes: readonly Route[] = rpcRows('das', METHODS, results, SERVED);
