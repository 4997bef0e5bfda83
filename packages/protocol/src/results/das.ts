import type { ResultShape } from '../route.ts';
import { answerOf, each, flag, integer, list, nullable, number, object, optional, string, u64 } from './fields.ts';

const EXAMPLE_OWNER = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

const asset = object(
  {
    interface: string('The standard: V1_NFT, ProgrammableNFT, FungibleToken and others.', 'V1_NFT'),
    id: string('The asset: its mint, or the id of a leaf.', 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'),
    ownership: object(
      {
        owner: string('The owner; empty for the mint of a fungible token.', EXAMPLE_OWNER),
        frozen: flag('Whether it cannot be moved.', false),
        delegated: flag('Whether another may move it.', false),
        delegate: optional(nullable(string('The delegate.'), null)),
        ownership_model: string('single or token.', 'single'),
      },
      'Its ownership.',
    ),
    mutable: flag('Whether its metadata can change.', true),
    burnt: flag('Whether it was burnt.', false),
    ...each(
      {
        content: object(
          {
            json_uri: string('Where the metadata is.'),
            metadata: object({}, 'Name, symbol and attributes.'),
            files: optional(list(object({}), 'Its files.')),
            links: optional(object({}, 'Its picture and website.')),
          },
          'Its content.',
        ),
        authorities: list(object({}), 'Accounts that may change it.'),
        compression: object({}, 'Its place in a tree.'),
        grouping: list(object({}), 'Its collection.'),
        royalty: object({}, 'The royalty of its creators.'),
        creators: list(object({}), 'Its creators.'),
        supply: nullable(object({}, 'How many editions there are.')),
        token_info: object(
          each(
            {
              balance: u64("The owner's balance in the smallest unit"),
              supply: u64('Tokens in existence in the smallest unit'),
              decimals: integer('Decimals of the mint.'),
              symbol: string('Symbol of the token.'),
              token_program: string('The program of the token.'),
              price_info: object(
                { price_per_token: number('Price of one token.'), currency: string('Currency of the price.') },
                'The price.',
              ),
            },
            optional,
          ),
          'The token.',
        ),
      },
      optional,
    ),
  },
  'A digital asset.',
);

/** One digital asset. */
export const getAsset = answerOf(asset);

/** A page of digital assets. */
export const page: ResultShape = {
  schema: object({
    total: integer('Assets on this page.'),
    limit: integer('Assets at most.'),
    items: list(asset, 'Assets.'),
    ...each(
      {
        page: integer('This page.'),
        last_indexed_slot: u64('The last indexed slot'),
        grand_total: integer('Assets on all pages.'),
        nativeBalance: object({ lamports: u64('Lamports of the owner') }, "The owner's SOL."),
        cursor: string('The cursor of the next page.'),
      },
      optional,
    ),
  }),
  example: { total: 1, limit: 10, page: 1, items: [getAsset.example] },
};
