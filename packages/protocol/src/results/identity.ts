import Type from 'typebox';
import type { ResultShape } from '../route.ts';
import { list, nullable, object, optional, string } from './fields.ts';

const tags = list(Type.String(), 'What else is known about it.');
const domainNames = optional(list(Type.String(), 'Names that lead to it.'));
const address = string('The wallet.');
const type = string('What the wallet is: exchange, program, person, unknown and others.');
const name = string('Who it belongs to.');
const category = string('What the owner does.');

const EXAMPLE_IDENTITY = {
  address: '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9',
  type: 'exchange',
  name: 'Binance 2',
  category: 'Centralized Exchange',
  tags: ['exchange', 'cex'],
};

/** Who a wallet is known to be. */
export const identity: ResultShape = {
  schema: object({ address, type, name, category, tags, domainNames }),
  example: EXAMPLE_IDENTITY,
};

/** Identities in the order of the wallets asked for; one that nobody knows has no name. */
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
