import { dollars } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { EXIT, UsageError } from '../exit-code.ts';
import type { EntryStep, Spent } from '../money/entries.ts';
import { moment } from '../show/figures.ts';
import { table } from '../show/table.ts';
import type { Command } from './command.ts';

const LATEST = 10;
const MEANING: Readonly<Record<EntryStep, string>> = {
  held: 'reserved',
  signed: 'outcome unknown',
  paid: 'paid',
  released: 'released',
  refused: 'refused',
  'given up': 'given up',
};

const usd = (micros: number): string => `$${dollars(micros)}`;

/** The ledger's spending. Refused payments count, because the gateway could still settle them. */
export const spendingCommand: Command = {
  name: 'spending',
  takes: '',
  summary: 'the spending and the limit',
  examples: ['spending', 'spending --json'],
  options: { json: { type: 'boolean', description: 'print JSON' } },
  async run({ words, session }) {
    if (words.length > 0) throw new UsageError('spending takes options only');
    const { terminal, caps, ledger } = session;
    const { dayMicros, allMicros, spent } = ledger.spending();
    const open = ledger.payments.all();
    const perDayMicros = Math.round(caps.perDayUsd * 1e6);
    if (!terminal.isFormatted) {
      const payments = open.map(({ id, micros, request }) => ({ id, micros, url: request.url }));
      terminal.lines([JSON.stringify({ dayMicros, perDayMicros, allMicros, open: payments, spent })]);
      return EXIT.ok;
    }
    terminal.lines([
      `${usd(dayMicros)} of ${usd(perDayMicros)} in 24 hours, ${usd(allMicros)} in all`,
      ...(open.length > 0 ? [`${open.length} with an unknown outcome: ${calledAs().command} resume`] : []),
      ...table<Spent>(
        [
          { title: 'WHEN (UTC)', cell: ({ at }) => moment(at / 1000, true) },
          { title: 'AMOUNT', cell: ({ micros }) => usd(micros), align: 'right' },
          { title: 'STATE', cell: ({ step }) => MEANING[step] },
        ],
        spent.slice(-LATEST),
        terminal.columns,
      ),
    ]);
    return EXIT.ok;
  },
};
