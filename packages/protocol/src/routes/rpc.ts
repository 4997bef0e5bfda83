import Type, { type TSchema } from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import { address, integer, list, oneOf, optional, text } from '../parameters.ts';
import { SIGNATURE_PATTERN } from '../patterns.ts';
import { PROGRAMS } from '../programs.ts';
import * as results from '../results/rpc.ts';
import type { Route } from '../route.ts';
import { exactlyOneIn } from '../rules.ts';
import { type RpcMethod, rpcRows, strictObject } from './row.ts';

const EXAMPLE_ADDRESS = 'So11111111111111111111111111111111111111112';
const EXAMPLE_SIGNATURE = '1111111111111111111111111111111111111111111111111111111111111111';
const MAX_PARAMS_OFFSET = 10_000_000;

const signature = (description: string) => Type.String({ pattern: SIGNATURE_PATTERN.source, description });

const slot = optional(integer(0, Number.MAX_SAFE_INTEGER, 'The earliest slot to answer from.'));
const commitment = optional(oneOf(ENUMERATIONS.commitment, 'How settled the answer must be.'));
const encoding = optional(oneOf(ENUMERATIONS.encoding, 'Encoding of account or transaction data.'));
const version = optional(integer(0, 255, 'The newest transaction version to return.'));
const basic = { commitment, minContextSlot: slot };
const slice = (maximum: number) =>
  strictObject('The part of the account data to return.', {
    offset: integer(0, MAX_PARAMS_OFFSET, 'First byte.'),
    length: integer(0, maximum, 'How many bytes.'),
  });

/** Returns positional parameters, first the required ones, then the optional ones. */
const positional = (required: readonly TSchema[], rest: readonly TSchema[] = []) =>
  Type.Unsafe<readonly unknown[]>({
    type: 'array',
    prefixItems: [...required, ...rest],
    // This has no effect, because maxItems excludes further items. Challenges publish it.
    items: {},
    minItems: required.length,
    maxItems: required.length + rest.length,
    description: 'The JSON-RPC parameters of the method.',
  });

const memcmp = strictObject('A comparison.', {
  memcmp: strictObject('Bytes at an offset.', {
    offset: integer(0, MAX_PARAMS_OFFSET, 'First byte.'),
    bytes: text('The expected bytes.', 128),
    encoding: optional(oneOf(['base58', 'base64'], 'Encoding of bytes.')),
  }),
});
const dataSize = strictObject('A size.', { dataSize: integer(0, MAX_PARAMS_OFFSET, 'Size of the account data.') });

const range = (schema: TSchema) =>
  optional(
    strictObject('A range.', {
      gte: optional(schema),
      gt: optional(schema),
      lte: optional(schema),
      lt: optional(schema),
    }),
  );
const count = integer(0, Number.MAX_SAFE_INTEGER, 'A number.');

const historyFilters = optional(
  strictObject('Which transactions.', {
    slot: range(count),
    blockTime: range(count),
    signature: range(signature('A signature.')),
    status: optional(oneOf(['succeeded', 'failed', 'any'], 'Outcome.')),
    tokenAccounts: optional(oneOf(['none', 'balanceChanged', 'all'], 'Whether token accounts count.')),
  }),
);

const METHODS: Readonly<Record<keyof typeof results, RpcMethod>> = {
  getBalance: {
    description: 'Lamports of an account.',
    alchemy: 10,
    helius: 1,
    params: positional([address('The account.')], [strictObject('Options.', basic)]),
    example: [EXAMPLE_ADDRESS],
  },
  getAccountInfo: {
    description: 'An account and its data.',
    alchemy: 10,
    helius: 1,
    params: positional(
      [address('The account.')],
      [strictObject('Options.', { ...basic, encoding, dataSlice: optional(slice(1024)) })],
    ),
    example: [EXAMPLE_ADDRESS, { encoding: 'base64' }],
  },
  getTransaction: {
    description: 'A confirmed transaction.',
    alchemy: 40,
    helius: 1,
    params: positional(
      [signature('The transaction.')],
      [strictObject('Options.', { commitment, encoding, maxSupportedTransactionVersion: version })],
    ),
    example: [EXAMPLE_SIGNATURE, { maxSupportedTransactionVersion: 0 }],
  },
  getSignaturesForAddress: {
    description: 'The latest transactions of an address.',
    alchemy: 40,
    helius: 1,
    params: positional(
      [address('The address.')],
      [
        strictObject('Options.', {
          ...basic,
          limit: optional(integer(1, 100, 'How many.')),
          before: optional(signature('Start before this one.')),
          until: optional(signature('Stop at this one.')),
        }),
      ],
    ),
    example: [EXAMPLE_ADDRESS, { limit: 10 }],
  },
  getTokenAccountsByOwner: {
    description: 'The token accounts of a wallet, by mint or by token program.',
    alchemy: 10,
    helius: 1,
    params: positional(
      [
        address('The wallet.'),
        strictObject('Which.', {
          mint: optional(address('A mint.')),
          programId: optional(address('A token program.')),
        }),
      ],
      [strictObject('Options.', { ...basic, encoding, dataSlice: optional(slice(1024)) })],
    ),
    rules: [exactlyOneIn(1, 'mint', 'programId')],
    example: [EXAMPLE_ADDRESS, { programId: PROGRAMS.token }, { encoding: 'jsonParsed' }],
  },
  getProgramAccounts: {
    description: 'The accounts of a program that pass one to four filters.',
    alchemy: 20,
    helius: 10,
    params: positional([
      address('The program.'),
      strictObject('Options.', {
        ...basic,
        encoding,
        withContext: optional(Type.Boolean()),
        sortResults: optional(Type.Boolean()),
        filters: list(Type.Union([dataSize, memcmp]), 'The filters.', { minItems: 1, maxItems: 4 }),
        dataSlice: slice(256),
      }),
    ]),
    example: [
      PROGRAMS.token,
      { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } },
    ],
  },
  getTransactionsForAddress: {
    description: 'The transactions of an address, filtered and sorted.',
    // 10 credits per 100 full transactions, of which a page has up to 1,000; 10 for a page of signatures.
    helius: 100,
    params: positional(
      [address('The address.')],
      [
        strictObject('Options.', {
          transactionDetails: optional(oneOf(['signatures', 'full'], 'How much of each.')),
          sortOrder: optional(oneOf(['asc', 'desc'], 'Oldest or newest first.')),
          commitment: optional(oneOf(['confirmed', 'finalized'], 'How settled.')),
          minContextSlot: slot,
          limit: optional(integer(1, 1000, 'How many. An answer over 5 MiB is refused, unpaid.')),
          paginationToken: optional(
            Type.String({ pattern: '^[0-9]{1,20}:[0-9]{1,20}$', description: 'The cursor of the next page.' }),
          ),
          encoding,
          maxSupportedTransactionVersion: version,
          filters: historyFilters,
        }),
      ],
    ),
    example: [EXAMPLE_ADDRESS, { limit: 10 }],
  },
};

const SERVED = [
  ['mainnet', 'alchemy'],
  ['mainnet', 'helius'],
  ['devnet', 'alchemy'],
  ['devnet', 'helius'],
] as const;

/** The paid RPC routes. */
export const rpcRoutes: readonly Route[] = rpcRows('rpc', METHODS, results, SERVED);
