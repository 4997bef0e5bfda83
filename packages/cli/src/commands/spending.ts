import { createClient, GatewayError } from '@asset-gateway/client';
import { show } from '../answer.ts';
import { calledAs } from '../config.ts';
import { EXIT, exitCodeFor, failureSentence } from '../failure.ts';
import type { EntryStep } from '../money/entries.ts';
import type { OpenPayment } from '../money/open-payments.ts';
import type { Session } from '../session.ts';
import { moment, usd } from '../show/chart.ts';
import { table } from '../show/table.ts';
import type { Command } from './command.ts';

/** A transaction is valid for 150 blocks, which is less than two minutes. */
const SETTLES_MS = 600_000;

/** Whether the outcome of the payment is still open after this answer. */
const leavesOpen = ({ status, headers }: Response): boolean =>
  status >= 500 || status === 408 || status === 429 || (status === 409 && headers.has('retry-after'));

/** Resends one payment and prints the answer. Returns the exit code. */
async function resumeOne(session: Session, payment: OpenPayment): Promise<number> {
  const { ledger, terminal } = session;
  const { id, micros, request } = payment;
  terminal.note(`resending the payment of ${usd(micros)} for ${request.url}`);
  // The payment goes only to the gateway that it was signed for.
  const client = createClient({ timeoutMs: session.timeoutMs, baseUrl: new URL(request.url).origin });
  const response = await terminal.whileWaiting('asking …', () => client.resume(payment));
  session.report(response);
  const isOpen = leavesOpen(response);
  session.outcome = isOpen ? 'open' : response.ok ? 'paid' : 'refused';
  if (session.outcome !== 'open') await ledger.closed(id, session.outcome);
  if (response.status === 402) {
    const message = `the payment of ${usd(micros)} for ${request.url} was refused; it counts as spent`;
    throw new GatewayError('payment_refused', { message, response });
  }
  const code = await show(session, response);
  return isOpen ? EXIT.paymentUnknown : code;
}

/** Closes a payment as spent if it can no longer settle. Returns whether it did. */
async function giveUp({ ledger, terminal }: Session, { id, at, micros, request }: OpenPayment): Promise<boolean> {
  const what = `the payment of ${usd(micros)} for ${request.url}`;
  // A time in the future means that the clock was set back, so the payment's age is unknown.
  if (Date.now() - at < SETTLES_MS) {
    terminal.note(
      `${what} stays open, because it may still settle: by this clock it was signed less than 10 minutes ago`,
    );
    return false;
  }
  await ledger.closed(id, 'given up');
  terminal.note(`${what} is given up and counts as spent: it was signed more than 10 minutes ago and has expired`);
  return true;
}

/** Finishes one payment if possible. Returns the exit code and never throws. */
async function finish(session: Session, id: string): Promise<number> {
  const { ledger, terminal, values } = session;
  let payment: OpenPayment | undefined;
  let code: number;
  session.outcome = undefined;
  try {
    if (ledger.isClosed(id)) ledger.payments.remove(id);
    payment = ledger.payments.read(id);
    code = payment ? await resumeOne(session, payment) : EXIT.ok;
  } catch (thrown) {
    const error = await session.failure(thrown);
    code = exitCodeFor(error);
    const gateway = new URL(payment?.request.url ?? session.gateway).origin;
    terminal.note(failureSentence(error, { gateway, rpc: session.rpc }));
  }
  const isOpen = payment !== undefined && ledger.payments.read(id) !== undefined;
  return isOpen && values.is('give-up') && (await giveUp(session, payment as OpenPayment)) ? EXIT.ok : code;
}

/** Resends interrupted payments to learn their outcomes. No payment is signed again. */
export const resumeCommand: Command = {
  name: 'resume',
  takes: '',
  summary: 'resend interrupted payments and get their answers',
  examples: ['resume', 'resume --give-up'],
  options: {
    'give-up': { description: 'then close expired payments as spent' },
  },
  async run({ session }) {
    const { payments } = session.ledger;
    const ids = payments.ids();
    if (ids.length === 0) session.terminal.note('there is nothing to resume');
    let code: number = EXIT.ok;
    for (const id of ids) code = Math.max(code, await finish(session, id));
    return code;
  },
};

const LATEST = 10;
/** Steps that are shown by another name. */
const MEANING: Readonly<Partial<Record<EntryStep, string>>> = { held: 'reserved', signed: 'outcome unknown' };

/** The ledger's spending. Refused payments count, because the gateway could still settle them. */
export const spendingCommand: Command = {
  name: 'spending',
  takes: '',
  summary: 'the spending and the limit',
  examples: ['spending', 'spending --json'],
  options: { json: { description: 'print JSON' } },
  async run({ session }) {
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
      ...table(spent.slice(-LATEST), terminal.columns, [
        { title: 'WHEN (UTC)', cell: ({ at }) => moment(at / 1000, true) },
        { title: 'AMOUNT', cell: ({ micros }) => usd(micros), align: 'right' },
        { title: 'STATE', cell: ({ step }) => MEANING[step] ?? step },
      ]),
    ]);
    return EXIT.ok;
  },
};
