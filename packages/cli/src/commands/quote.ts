import { createClient } from '@asset-gateway/client';
import { type ListedRoute, listedMicros, listedRoute, type Offer } from '@asset-gateway/client/pay';
import type { CallRequest } from '@asset-gateway/client/tools';
import { dollars, MICROS_PER_USD, microsOfUsd, providerIn } from '@asset-gateway/protocol';
import { show } from '../answer.ts';
import { calledAs } from '../config.ts';
import { EXIT, UsageError } from '../failure.ts';
import { catalogOf, wholeCatalog } from '../money/catalog.ts';
import { answerOrOffer, offerInWords, quotingPayer } from '../money/command-payer.ts';
import { rowAt } from '../request.ts';
import type { Session } from '../session.ts';
import type { Canvas } from '../show/chart.ts';
import { type Column, table } from '../show/table.ts';
import { namedCommands } from './by-name.ts';
import type { Command, CommandInput, FoundCommand } from './command.ts';

/** The prefix that a typed path may omit. */
const PAID_PREFIX = /^\/v1\/x402\/(?:tokens\/)?/;

/** The columns of METHOD and PRICE. Because people type paths, a path is cut only if the terminal has no room for it. */
const BESIDE_PATH = 19;

/** The price of a call from credit. */
const FROM_CREDIT: Column<ListedRoute> = {
  title: 'CREDIT',
  cell: ({ creditPriceUsd }) => (creditPriceUsd === undefined ? '' : `$${creditPriceUsd}`),
  align: 'right',
};

const routeTable = (rows: readonly ListedRoute[], { columns, colours }: Canvas): string[] =>
  table(rows, columns, [
    { title: 'METHOD', cell: ({ httpMethod }) => httpMethod },
    {
      title: 'PATH',
      cell: ({ path }) => path.replace(PAID_PREFIX, ''),
      paint: colours.bold,
      minWidth: Math.max(24, columns - BESIDE_PATH),
    },
    { title: 'PRICE', cell: ({ priceUsd }) => (Number(priceUsd) > 0 ? `$${priceUsd}` : 'free'), align: 'right' },
    ...(rows.some(({ creditPriceUsd }) => creditPriceUsd !== undefined) ? [FROM_CREDIT] : []),
    { title: 'WHAT', cell: ({ description }) => description, minWidth: 20 },
  ]);

const plainLine = ({ httpMethod, path, priceUsd, creditPriceUsd }: ListedRoute): string =>
  [httpMethod, path, priceUsd, ...(creditPriceUsd === undefined ? [] : [creditPriceUsd])].join('\t');

/** The gateway's routes. The whole catalog is at a path of its own. */
export const routesCommand: Command = {
  name: 'routes',
  takes: '[<text>]',
  summary: 'the routes of the gateway with prices',
  examples: ['routes', 'routes balance'],
  async run({ words, session }) {
    const { terminal, gateway } = session;
    const text = words.join(' ').toLowerCase();
    const rows = await terminal.whileWaiting('asking …', () => wholeCatalog(gateway));
    const found = rows.filter((row) => `${row.path} ${row.description}`.toLowerCase().includes(text));
    if (!terminal.isFormatted) terminal.lines(found.map(plainLine));
    else if (found.length === 0) terminal.note(`no route matches "${text}"`);
    else terminal.lines(routeTable(found, terminal));
    return found.length === 0 ? EXIT.refused : EXIT.ok;
  },
};

/** The price of a call. */
interface Quote {
  readonly path: string;
  readonly priceUsd: string;
  readonly creditPriceUsd?: string;
  readonly listedUsd?: string;
  readonly network?: string;
  readonly payTo?: string;
}

async function printQuote(session: Session, quote: Quote, words: readonly string[], offer?: Offer): Promise<number> {
  const { terminal, caps, ledger } = session;
  if (!terminal.isFormatted) {
    terminal.lines([JSON.stringify(quote)]);
    return EXIT.ok;
  }
  const { priceUsd, creditPriceUsd, listedUsd } = quote;
  const isDearer = listedUsd !== undefined && Number(priceUsd) > Number(listedUsd);
  const left = caps.perDayUsd - ledger.spending().dayMicros / MICROS_PER_USD;
  const isWithin = Number(priceUsd) <= Math.min(caps.perCallUsd, left);
  terminal.lines([
    offer ? await offerInWords(offer, session) : 'free',
    ...(creditPriceUsd === undefined ? [] : [`or $${creditPriceUsd} from credit`]),
    ...(isDearer ? [terminal.colours.red(`the catalog says $${listedUsd}: the payment would be refused`)] : []),
    isWithin
      ? `within the limits, $${dollars(Math.max(0, microsOfUsd(left)))} left`
      : 'beyond the limits: the payment would be refused',
    terminal.colours.dim(`${calledAs().command} ${words.join(' ')}${offer ? ' --pay' : ''}`),
  ]);
  return EXIT.ok;
}

/** Returns the offer for a request, or its response if that needs no payment. Uses neither wallet nor credit. */
function offerFor({ gateway, terminal, timeoutMs }: Session, { path, ...request }: CallRequest) {
  const client = createClient({ timeoutMs, baseUrl: gateway, credit: false, pay: quotingPayer });
  return answerOrOffer(terminal.whileWaiting('asking …', () => client.ask(path, request)));
}

async function quoteFor({ words, session }: CommandInput, request: CallRequest): Promise<number> {
  const { gateway } = session;
  const { path, body } = request;
  const row = rowAt(path);
  if (row !== undefined && row.access !== 'exact') return printQuote(session, { path, priceUsd: '0' }, words);
  const offer = await offerFor(session, request);
  if (offer instanceof Response) {
    if (offer.status !== 402) return show(session, offer);
    throw new Error(`${path} is free: it takes a signature, no payment`);
  }
  const { network, payTo, amount, creditPriceUsd } = offer;
  const sent = { url: new URL(path, gateway).href, method: body === undefined ? 'GET' : 'POST' } as const;
  const routes = await catalogOf(gateway, { provider: providerIn(new URL(sent.url).pathname) }).catch(() =>
    wholeCatalog(gateway),
  );
  const listed = listedRoute(routes, sent);
  const fromCredit = creditPriceUsd !== undefined && { creditPriceUsd };
  const price = { path, priceUsd: dollars(Number(amount)), ...fromCredit, network, payTo };
  return printQuote(session, { ...price, ...(listed && { listedUsd: dollars(listedMicros(listed)) }) }, words, offer);
}

/** Returns the price of another command. Signs nothing and pays nothing. */
export const quoteCommand = (
  commandFor: (words: readonly string[], gateway: string) => Promise<FoundCommand>,
): Command => ({
  name: 'quote',
  takes: '<command>',
  summary: 'the price of a command, without signing or paying',
  examples: ['quote balances 86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'quote price solana'],
  completes: namedCommands.map(({ name }) => name),
  async run(given) {
    if (given.words.length === 0) throw new UsageError('quote takes a command, such as quote price solana');
    const { command, rest } = await commandFor(given.words, given.session.gateway);
    if ('run' in command) throw new UsageError(`${command.name} does not make a single request, so it has no price`);
    return quoteFor(given, command.request(rest, given.values));
  },
});
