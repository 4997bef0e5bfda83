import Type from 'typebox';
import { oneOf, optional } from '../parameters.ts';
import type { ResultShape } from '../route.ts';

const text = (description: string) => Type.String({ description });
const micros = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description}, in millionths of a dollar.` });
const cluster = oneOf(['mainnet', 'devnet'], 'Credit is valid on one cluster only.');

const WALLET = '6uW5RWdZtZzHH8jGTrGyYSx8Yw3hMF5tZHKyTZ5B6PUA';

const balance = {
  cluster,
  network: text('CAIP-2.'),
  balanceUsd: text('The balance in dollars.'),
  balanceMicros: micros('The same'),
};

/** A wallet's credit and its latest movements. */
export const credit: ResultShape = {
  schema: Type.Object({
    wallet: text('The wallet that signed.'),
    balances: Type.Array(
      Type.Object({
        ...balance,
        heldMicros: micros('Held for calls in flight'),
        grantedMicros: micros('Total credit bought'),
        spentMicros: micros('Total credit spent'),
      }),
      { description: 'One for each cluster with paid routes.' },
    ),
    movements: Type.Array(
      Type.Object({
        kind: oneOf(['grant', 'debit'], 'Credit bought, or spent.'),
        cluster,
        micros: micros('How much'),
        at: text('RFC 3339, UTC.'),
        route: text('The route that was called, as the catalog names its methods.'),
        transaction: optional(text('The transaction of the purchase.')),
      }),
      { description: 'The latest 20, the newest first.' },
    ),
  }),
  example: {
    wallet: WALLET,
    balances: [
      {
        cluster: 'mainnet',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        balanceUsd: '0.0499',
        balanceMicros: 49_900,
        heldMicros: 0,
        grantedMicros: 50_000,
        spentMicros: 100,
      },
    ],
    movements: [
      {
        kind: 'debit',
        cluster: 'mainnet',
        micros: 100,
        at: '2026-01-01T00:00:00.000Z',
        route: 'rpc.mainnet.helius.getBalance',
      },
    ],
  },
};

/** A wallet's credit after a settled purchase. */
export const bought: ResultShape = {
  schema: Type.Object({
    wallet: text('The wallet that paid.'),
    ...balance,
    boughtMicros: micros('Credit bought by this payment'),
  }),
  example: {
    wallet: WALLET,
    cluster: 'mainnet',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    balanceUsd: '0.05',
    balanceMicros: 50_000,
    boughtMicros: 50_000,
  },
};
