import { dollars } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { EXIT } from '../exit-code.ts';
import type { Spent } from '../money/entries.ts';
import { moment } from '../show/figures.ts';
import { table } from '../show/table.ts';
import type { Command } from './command.ts';

const LATEST = 10;
const MEANING: Readonly<Record<string, string>> = {
  held: 'set aside',
  signed: 'outcome not known',
  paid: 'paid',
  refused: 'refused',
};

const usd = (micros: number): string => `$${dollars(micros)}`;

/** What was spent, by the ledger. What was refused counts too: whoever got the payment could still cash it. */
export const spendingCommand: Command = {
  name: 'spending',
  takes: '',
  summary: 'what was spent, and what may still be',
  examples: ['spending', 'spending --json'],
  async run({ session }) {
    const { terminal, caps, ledger } = session;
    const { dayMicros, allMicros, spent } = ledger.spending();
    const open = ledger.payments.list();
    const perDayMicros = Math.round(caps.perDayUsd * 1e6);
    if (!terminal.isFormatted) {
      const payments = open.map(({ id, micros, request }) => ({ id, micros, url: request.url }));
      terminal.lines([JSON.stringify({ dayMicros, perDayMicros, allMicros, open: payments, spent })]);
      return EXIT.ok;
    }
    terminal.lines([
      `${usd(dayMicros)} of ${usd(perDayMicros)} in 24 hours, ${usd(allMicros)} in all`,
      ...(open.length > 0 ? [`${open.length} with an outcome that is not known: ${calledAs().command} resume`] : []),
      ...table<Spent>(
        [
          { title: 'WHEN (UTC)', cell: ({ at }) => moment(at / 1000, true) },
          { title: 'AMOUNT', cell: ({ micros }) => usd(micros), align: 'right' },
          { title: 'STATE', cell: ({ step }) => MEANING[step] ?? step },
        ],
        spent.slice(-LATEST),
        terminal.columns,
      ),
    ]);
    return EXIT.ok;
  },
};
