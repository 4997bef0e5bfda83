import { createClient } from '@asset-gateway/client';
import { listedMicros, listedRoute, type Offer } from '@asset-gateway/client/pay';
import { dollars } from '@asset-gateway/protocol';
import { show } from '../answer.ts';
import { cacheFolder, calledAs } from '../config.ts';
import { EXIT } from '../exit-code.ts';
import { Misunderstood } from '../misunderstood.ts';
import { catalogOf } from '../money/catalog.ts';
import { quotingPayer, Unpaid } from '../money/paying.ts';
import { type Asked, rowOf } from '../request.ts';
import type { Session } from '../session.ts';
import { namedCommands } from './by-name.ts';
import type { Command, Given } from './command.ts';

/** What a call would cost. */
interface Quote {
  readonly path: string;
  readonly priceUsd: string;
  readonly listedUsd?: string;
  readonly network?: string;
  readonly payTo?: string;
}

function tell({ terminal, caps, ledger }: Session, quote: Quote, words: readonly string[]): number {
  if (!terminal.isFormatted) {
    terminal.lines([JSON.stringify(quote)]);
    return EXIT.ok;
  }
  const { priceUsd, listedUsd, network, payTo } = quote;
  const isDearer = listedUsd !== undefined && Number(priceUsd) > Number(listedUsd);
  const left = caps.perDayUsd - ledger.spending().dayMicros / 1e6;
  const isWithin = Number(priceUsd) <= Math.min(caps.perCallUsd, left);
  terminal.lines([
    Number(priceUsd) === 0 ? 'free' : `$${priceUsd} on ${network} to ${payTo}`,
    ...(isDearer ? [terminal.colours.red(`the catalog says $${listedUsd}; it would not be paid`)] : []),
    isWithin
      ? `within the limits, $${dollars(Math.max(0, Math.round(left * 1e6)))} left`
      : 'beyond the limits; it would not be paid',
    terminal.colours.dim(`${calledAs().command} ${words.join(' ')}${Number(priceUsd) === 0 ? '' : ' --pay'}`),
  ]);
  return EXIT.ok;
}

/** The offer for a request, or the response to one that needs no payment. It reads no wallet and leaves credit alone. */
async function offerFor({ gateway, terminal }: Session, { path, ...request }: Asked): Promise<Offer | Response> {
  const client = createClient({ timeoutMs: session.timeoutMs, baseUrl: gateway, credit: false, pay: quotingPayer });
  try {
    return await terminal.whileWaiting('asking …', () => client.ask(path, request));
  } catch (error) {
    if (error instanceof Unpaid) return error.offer;
    throw error;
  }
}

async function quoteOf({ words, session }: Given, asked: Asked): Promise<number> {
  const { gateway } = session;
  const { path, body } = asked;
  const row = rowOf(path);
  if (row !== undefined && row.access !== 'exact') return tell(session, { path, priceUsd: '0' }, words);
  const offer = await offerFor(session, asked);
  if (offer instanceof Response) {
    if (offer.status !== 402) return show(session, offer);
    throw new Error(`${path} asks for no payment, but for a signature; it is free`);
  }
  const { network, payTo, amount } = offer;
  const request = { url: new URL(path, gateway).href, method: body === undefined ? 'GET' : 'POST' } as const;
  const listed = listedRoute(await catalogOf(gateway, cacheFolder()), request);
  const price = { path, priceUsd: dollars(Number(amount)), network, payTo };
  return tell(session, { ...price, ...(listed && { listedUsd: dollars(listedMicros(listed)) }) }, words);
}

/** What another command would cost. It signs nothing and pays nothing. */
export const quoteCommand = (
  commandFor: (words: readonly string[]) => { command: Command; rest: readonly string[] },
): Command => ({
  name: 'quote',
  takes: '<command>',
  summary: 'what a command would cost; signs and pays nothing',
  examples: ['quote balances 86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'quote price solana'],
  completes: namedCommands.map(({ name }) => name),
  run(given) {
    if (given.words.length === 0) throw new Misunderstood('quote takes a command, such as quote price solana');
    const { command, rest } = commandFor(given.words);
    if (!command.request)
      throw new Misunderstood(`${command.name} is not one request; quote what asks the gateway for something`);
    return quoteOf(given, command.request(rest, given.values));
  },
});
