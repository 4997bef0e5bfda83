import { dollars } from '@asset-gateway/protocol';
import { show } from '../answer.ts';
import { EXIT, UsageError } from '../exit-code.ts';
import { CLUSTER, clusterIn, dollarsIn } from '../options.ts';
import { CREDIT_PATH } from '../request.ts';
import type { Session } from '../session.ts';
import { table } from '../show/table.ts';
import type { Canvas } from '../show/views.ts';
import type { Command } from './command.ts';

interface Balance {
  readonly cluster: string;
  readonly balanceMicros: number;
  readonly heldMicros: number;
  readonly spentMicros: number;
}

const usd = (micros: number): string => `$${dollars(micros)}`;

const statement = (
  result: { wallet: string; balances: readonly Balance[] },
  { columns, colours }: Canvas,
): string[] => [
  colours.dim(`credit of ${result.wallet}`),
  ...table<Balance>(
    [
      { title: 'CLUSTER', cell: ({ cluster }) => cluster },
      { title: 'LEFT', cell: ({ balanceMicros }) => usd(balanceMicros), align: 'right', paint: colours.bold },
      { title: 'HELD', cell: ({ heldMicros }) => usd(heldMicros), align: 'right' },
      { title: 'SPENT', cell: ({ spentMicros }) => usd(spentMicros), align: 'right' },
    ],
    result.balances,
    columns,
  ),
];

/** Buys this amount, which is also the bundle's limit. The limit of 24 hours still applies. */
async function buy(session: Session, amount = ''): Promise<number> {
  const { terminal, values } = session;
  const cluster = clusterIn(values);
  const usd = dollarsIn(amount, 'credit buy');
  if (!session.isPreapproved && !terminal.canAsk) throw new UsageError('credit buy costs money: add --pay');
  const client = (await session.client(usd)).with({ cluster });
  const { text, response } = await terminal.whileWaiting('buying …', () => client.credit.buy({ usd }).full());
  session.report(response, await session.wallet);
  if (!terminal.isFormatted) terminal.write(text);
  return EXIT.ok;
}

/** The credit of a wallet. */
export const creditCommand: Command = {
  name: 'credit',
  takes: '[buy <usd>]',
  summary: 'show or buy credit',
  examples: ['credit', 'credit buy 0.05 --pay'],
  options: CLUSTER,
  completes: ['buy'],
  async run({ words, session }) {
    const [verb, amount, ...more] = words;
    if (verb === undefined) return show(session, await session.ask({ path: CREDIT_PATH }), statement);
    if (verb !== 'buy' || more.length > 0)
      throw new UsageError('credit takes no words, or buy and an amount in dollars');
    return buy(session, amount);
  },
};
