import { dollars } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { EXIT } from '../exit-code.ts';
import { Misunderstood } from '../misunderstood.ts';
import type { Spent, Step } from '../money/entries.ts';
import { moment } from '../show/figures.ts';
import { table } from '../show/table.ts';
import type { Command } from './command.ts';

const LATEST = 10;
const MEANING: Readonly<Record<Step, string>> = {
  held: 'set aside',
  signed: 'outcome not known',
  paid: 'paid',
  released: 'free again',
  refused: 'refused',
  'given up': 'given up',
};

const usd = (micros: number): string => `$${dollars(micros)}`;

/** What was spent, by the ledger. A refused payment counts too: the gateway could still cash it. */
export const spendingCommand: Command = {
  name: 'spending',
  takes: '',
  summary: 'what was spent, and what may still be',
  examples: ['spending', 'spending --json'],
  options: { json: { type: 'boolean', description: 'as JSON, also at a terminal' } },
  async run({ words, session }) {
    if (words.length > 0) throw new Misunderstood('spending takes no words but its options');
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
      ...(open.length > 0 ? [`${open.length} with an outcome that is not known: ${calledAs().command} resume`] : []),
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
