import type { ResultShape } from '../route.ts';
import * as field from './fields.ts';

const EXAMPLE_OWNER = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

const asset = field.part('A digital asset.', {
  interface: field.string('The standard: V1_NFT, ProgrammableNFT, FungibleToken and others.', 'V1_NFT'),
  id: field.string('The asset: its mint, or the id of a leaf.', 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'),
  ownership: field.part('Its ownership.', {
    owner: field.string('The owner; empty for the mint of a fungible token.', EXAMPLE_OWNER),
    frozen: field.flag('Whether it cannot be moved.', false),
    delegated: field.flag('Whether another may move it.', false),
    delegate: field.optional(field.nullable(field.string('The delegate.'), null)),
    ownership_model: field.string('single or token.', 'single'),
  }),
  mutable: field.flag('Whether its metadata can change.', true),
  burnt: field.flag('Whether it was burnt.', false),
  ...field.each(field.optional, {
    content: field.part('Its content.', {
      json_uri: field.string('Where the metadata is.'),
      metadata: field.part('Name, symbol and attributes.', {}),
      files: field.optional(field.rows('Its files.', {})),
      links: field.optional(field.part('Its picture and website.', {})),
    }),
    authorities: field.rows('Accounts that may change it.', {}),
    compression: field.part('Its place in a tree.', {}),
    grouping: field.rows('Its collection.', {}),
    royalty: field.part('The royalty of its creators.', {}),
    creators: field.rows('Its creators.', {}),
    supply: field.nullable(field.part('How many editions there are.', {})),
    token_info: field.part(
      'The token.',
      field.each(field.optional, {
        balance: field.u64("The owner's balance in the smallest unit"),
        supply: field.u64('Tokens in existence in the smallest unit'),
        decimals: field.integer('Decimals of the mint.'),
        symbol: field.string('Symbol of the token.'),
        token_program: field.string('The program of the token.'),
        price_info: field.part('The price.', {
          price_per_token: field.number('Price of one token.'),
          currency: field.string('Currency of the price.'),
        }),
      }),
    ),
  }),
});

/** One digital asset. */
export const getAsset = field.resultShape(asset);

/** A page of digital assets. */
export const getAssetsByOwner: ResultShape = {
  schema: field.object({
    total: field.integer('Assets on this page.'),
    limit: field.integer('Assets at most.'),
    items: field.list(asset, 'Assets.'),
    ...field.each(field.optional, {
      page: field.integer('This page.'),
      last_indexed_slot: field.u64('The last indexed slot'),
      grand_total: field.integer('Assets on all pages.'),
      nativeBalance: field.part("The owner's SOL.", { lamports: field.u64('Lamports of the owner') }),
      cursor: field.string('The cursor of the next page.'),
    }),
  }),
  example: { total: 1, limit: 10, page: 1, items: [getAsset.example] },
};

/** A page of digital assets. */
export const searchAssets = getAssetsByOwner;
