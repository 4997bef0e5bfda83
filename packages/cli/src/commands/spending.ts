import { createClient, GatewayError } from '@asset-gateway/client';
import { type Fate, fateOf } from '@asset-gateway/client/pay';
import { dollarText, microsOfUsd, momentText } from '@asset-gateway/protocol';
import { show } from '../answer.ts';
import { calledAs } from '../config.ts';
import { EXIT, exitCodeFor, failureSentence } from '../failure.ts';
import { isLocal, sandboxRpc } from '../money/command-payer.ts';
import type { LedgerStep } from '../money/ledger-lines.ts';
import type { OpenPayment } from '../money/open-payments.ts';
import type { Session } from '../session.ts';
import { table } from '../show/table.ts';
import type { Command } from './command.ts';

/** Resends one payment and prints the answer. Returns the exit code. */
async function resumeOne(session: Session, payment: OpenPayment): Promise<number> {
  const { ledger, terminal } = session;
  const { id, micros, request } = payment;
  terminal.note(`resending the payment of ${dollarText(micros)} for ${request.url}`);
  // A payment may go only to the gateway that it was signed for.
  const client = createClient({
    timeoutMs: session.timeoutMs,
    baseUrl: new URL(request.url).origin,
    onLedgerFailure: session.noteLedgerFailure,
  });
  const closed = async (outcome: 'paid' | 'refused'): Promise<void> => {
    session.outcome = outcome;
    await ledger.closed(id, outcome);
  };
  session.outcome = 'open';
  const response = await terminal.whileWaiting('asking …', () => client.resume({ ...payment, closed }));
  session.report(response);
  if (response.status === 402) {
    const message = `the payment of ${dollarText(micros)} for ${request.url} was refused; it counts as spent until it can no longer settle`;
    throw new GatewayError('payment_refused', { message, response });
  }
  const code = await show(session, response);
  return hasOpenPayment(session) ? EXIT.paymentUnknown : code;
}

/** Whether the session's payment is open. */
const hasOpenPayment = ({ outcome }: Session): boolean => outcome === 'open';

/** Why a payment is given up or stays open, by its fate. */
const FATES: Readonly<Record<Fate, string>> = {
  open: 'stays open, because it may still settle; try again in a minute',
  settled: 'has settled, and its answer is lost',
  expired: 'is given up and does not count: it has not settled and can no longer do so',
  over: 'is given up and counts as spent: it can no longer settle, and the RPC does not show whether it has',
};

/** Closes a payment if the chain shows that it can no longer settle. Returns whether it did. */
async function giveUp(session: Session, payment: OpenPayment): Promise<boolean> {
  const { ledger, terminal, rpc } = session;
  const { id, micros, request } = payment;
  const signal = new AbortController().signal;
  const gateway = new URL(request.url).origin;
  if (rpc === undefined && !isLocal(gateway)) {
    terminal.note(`to give up the payment for ${request.url}, name a Solana RPC of your own: add --rpc <url>`);
    return false;
  }
  const fate = await fateOf({ ...payment, state: 'signed' }, (network) => ({
    rpcUrl: rpc ?? sandboxRpc(gateway, network),
    signal,
  }));
  terminal.note(`the payment of ${dollarText(micros)} for ${request.url} ${FATES[fate]}`);
  if (fate === 'open') return false;
  if (fate === 'expired') await ledger.release(id);
  else await ledger.closed(id, fate === 'settled' ? 'paid' : 'given up');
  return true;
}

/** Finishes a payment if possible. Returns the exit code and never throws. */
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
  const isLeft = payment !== undefined && ledger.payments.read(id) !== undefined;
  return isLeft && values.is('give-up') && (await giveUp(session, payment as OpenPayment)) ? EXIT.ok : code;
}

/** Resends interrupted payments to learn their outcomes. Signs no payment again. */
export const resumeCommand: Command = {
  name: 'resume',
  takes: '',
  summary: 'resend interrupted payments and get their answers',
  examples: ['resume', 'resume --give-up'],
  options: {
    'give-up': { description: 'then close payments that can no longer settle' },
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
/** Steps that have another name in the output. */
const MEANING: Readonly<Partial<Record<LedgerStep, string>>> = { held: 'reserved', signed: 'outcome unknown' };

/** The ledger's spending. A refused payment counts until the next payment finds that it can no longer settle. */
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
    const perDayMicros = microsOfUsd(caps.perDayUsd);
    if (!terminal.isFormatted) {
      const payments = open.map(({ id, micros, request }) => ({ id, micros, url: request.url }));
      terminal.lines([
        JSON.stringify({
          dayMicros,
          perDayMicros,
          allMicros,
          open: payments,
          spent: spent.map(({ trace: _, ...each }) => each),
        }),
      ]);
      return EXIT.ok;
    }
    terminal.lines([
      `${dollarText(dayMicros)} of ${dollarText(perDayMicros)} in 24 hours, ${dollarText(allMicros)} in all`,
      ...(open.length > 0 ? [`${open.length} with an unknown outcome: ${calledAs().command} resume`] : []),
      ...table(spent.slice(-LATEST), terminal.columns, [
        { title: 'WHEN (UTC)', cell: ({ at }) => momentText(at / 1000) },
        { title: 'AMOUNT', cell: ({ micros }) => dollarText(micros), align: 'right' },
        { title: 'STATE', cell: ({ step }) => MEANING[step] ?? step },
      ]),
    ]);
    return EXIT.ok;
  },
};
