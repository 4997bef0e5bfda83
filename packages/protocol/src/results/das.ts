import type { ResultShape } from '../route.ts';
import * as field from './fields.ts';

const EXAMPLE_OWNER = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

const asset = field.object(
  {
    interface: field.string('The standard: V1_NFT, ProgrammableNFT, FungibleToken and others.', 'V1_NFT'),
    id: field.string('The asset: its mint, or the id of a leaf.', 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'),
    ownership: field.object(
      {
        owner: field.string('The owner; empty for the mint of a fungible token.', EXAMPLE_OWNER),
        frozen: field.flag('Whether it cannot be moved.', false),
        delegated: field.flag('Whether another may move it.', false),
        delegate: field.optional(field.nullable(field.string('The delegate.'), null)),
        ownership_model: field.string('single or token.', 'single'),
      },
      'Its ownership.',
    ),
    mutable: field.flag('Whether its metadata can change.', true),
    burnt: field.flag('Whether it was burnt.', false),
    ...field.each(
      {
        content: field.object(
          {
            json_uri: field.string('Where the metadata is.'),
            metadata: field.object({}, 'Name, symbol and attributes.'),
            files: field.optional(field.list(field.object({}), 'Its files.')),
            links: field.optional(field.object({}, 'Its picture and website.')),
          },
          'Its content.',
        ),
        authorities: field.list(field.object({}), 'Accounts that may change it.'),
        compression: field.object({}, 'Its place in a tree.'),
        grouping: field.list(field.object({}), 'Its collection.'),
        royalty: field.object({}, 'The royalty of its creators.'),
        creators: field.list(field.object({}), 'Its creators.'),
        supply: field.nullable(field.object({}, 'How many editions there are.')),
        token_info: field.object(
          field.each(
            {
              balance: field.u64("The owner's balance in the smallest unit"),
              supply: field.u64('Tokens in existence in the smallest unit'),
              decimals: field.integer('Decimals of the mint.'),
              symbol: field.string('Symbol of the token.'),
              token_program: field.string('The program of the token.'),
              price_info: field.object(
                {
                  price_per_token: field.number('Price of one token.'),
                  currency: field.string('Currency of the price.'),
                },
                'The price.',
              ),
            },
            field.optional,
          ),
          'The token.',
        ),
      },
      field.optional,
    ),
  },
  'A digital asset.',
);

/** One digital asset. */
export const getAsset = field.answerOf(asset);

/** A page of digital assets. */
export const page: ResultShape = {
  schema: field.object({
    total: field.integer('Assets on this page.'),
    limit: field.integer('Assets at most.'),
    items: field.list(asset, 'Assets.'),
    ...field.each(
      {
        page: field.integer('This page.'),
        last_indexed_slot: field.u64('The last indexed slot'),
        grand_total: field.integer('Assets on all pages.'),
        nativeBalance: field.object({ lamports: field.u64('Lamports of the owner') }, "The owner's SOL."),
        cursor: field.string('The cursor of the next page.'),
      },
      field.optional,
    ),
  }),
  example: { total: 1, limit: 10, page: 1, items: [getAsset.example] },
};
