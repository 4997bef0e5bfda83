import { createClient } from '@asset-gateway/client';
import { dollars } from '@asset-gateway/protocol';
import { show } from '../answer.ts';
import { EXIT } from '../exit-code.ts';
import type { OpenPayment } from '../money/open-payments.ts';
import type { Session } from '../session.ts';
import type { Command } from './command.ts';

/** Whether an answer leaves open what becomes of the payment. */
const leavesOpen = ({ status, headers }: Response): boolean =>
  status >= 500 || status === 408 || status === 429 || (status === 409 && headers.has('retry-after'));

async function resumeOne(session: Session, payment: OpenPayment): Promise<number> {
  const { ledger, terminal } = session;
  const { id, micros, request } = payment;
  if (ledger.isClosed(id)) {
    ledger.payments.remove(id);
    return EXIT.ok;
  }
  terminal.note(`sending the payment of $${dollars(micros)} for ${request.url} again`);
  // The payment is signed already, and goes nowhere but where it was meant to go.
  const client = createClient({ baseUrl: new URL(request.url).origin });
  const response = await terminal.whileWaiting('asking …', () => client.resume(payment));
  session.tell(response);
  const isOpen = leavesOpen(response);
  if (!isOpen) await ledger.closed(id, response.ok ? 'paid' : 'refused');
  const code = await show(session, response);
  return isOpen ? EXIT.paymentUnknown : code;
}

/** Finds out what became of payments that were cut off: each is sent again as it was signed, never made anew. */
export const resumeCommand: Command = {
  name: 'resume',
  takes: '',
  summary: 'send payments again that were cut off, and get their answers',
  examples: ['resume'],
  async run({ session }) {
    const open = session.ledger.payments.list();
    if (open.length === 0) session.terminal.note('there is nothing to resume');
    let code: number = EXIT.ok;
    for (const payment of open) code = Math.max(code, await resumeOne(session, payment));
    return code;
  },
};
