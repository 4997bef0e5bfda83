import Type from 'typebox';
import type { ResultShape } from '../route.ts';
import { list, nullable, object, optional, string } from './fields.ts';

const tags = list(Type.String(), 'Further tags.');
const domainNames = optional(list(Type.String(), 'Names that lead to it.'));
const address = string('The wallet.');
const type = string('What the wallet is: exchange, program, person, unknown and others.');
const name = string('The owner.');
const category = string("The owner's business.");

const EXAMPLE_IDENTITY = {
  address: '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9',
  type: 'exchange',
  name: 'Binance 2',
  category: 'Centralized Exchange',
  tags: ['exchange', 'cex'],
};

/** A wallet's known identity. */
export const identity: ResultShape = {
  schema: object({ address, type, name, category, tags, domainNames }),
  example: EXAMPLE_IDENTITY,
};

/** Identities in the order of the requested wallets; unknown ones have no name. */
export const batchIdentity: ResultShape = {
  schema: list(
    object({
      address,
      type: nullable(type),
      name: nullable(name),
      category: nullable(category),
      tags,
      domainNames,
    }),
    'One entry per wallet; the name of an unknown one is null or empty.',
  ),
  example: [EXAMPLE_IDENTITY],
};
