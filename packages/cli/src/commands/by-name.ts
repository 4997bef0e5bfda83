import { positionalParameters, type Route, routes } from '@asset-gateway/protocol';
import { show } from '../answer.ts';
import { calledAs } from '../config.ts';
import { UsageError } from '../failure.ts';
import { CLUSTER, type OptionTable, type Values } from '../options.ts';
import type { GatewayRequest } from '../request.ts';
import * as views from '../show/views.ts';
import type { Command } from './command.ts';

/** A route with its own command. */
interface Named {
  readonly name: string;
  /** The id of its row. */
  readonly row: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly view: views.View;
  /** Default query parameters. */
  readonly defaults?: Readonly<Record<string, string>>;
}

const SOL = 'So11111111111111111111111111111111111111112';
const WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

const NAMED: readonly Named[] = [
  { name: 'search', row: 'tokens.search', summary: 'find assets', examples: ['search gold'], view: views.search },
  {
    name: 'price',
    row: 'tokens.assetDetail',
    summary: 'the price of an asset and its recent course',
    examples: ['price solana'],
    view: views.assetPrice,
    defaults: { include: 'ohlcv' },
  },
  {
    name: 'chart',
    row: 'tokens.priceChart',
    summary: 'a candle chart of an asset',
    examples: ['chart solana --interval 1D'],
    view: views.chart,
  },
  {
    name: 'variants',
    row: 'tokens.variants',
    summary: 'the tokens of an asset',
    examples: ['variants gold'],
    view: views.variants,
  },
  {
    name: 'risk',
    row: 'tokens.riskSummaryByMint',
    summary: 'the risk of a token',
    examples: [`risk ${SOL}`],
    view: views.risk,
  },
  {
    name: 'markets',
    row: 'tokens.markets',
    summary: 'the on-chain markets of an asset',
    examples: ['markets solana --limit 5'],
    view: views.markets,
  },
  {
    name: 'tickers',
    row: 'tokens.tickers',
    summary: 'the exchange listings of an asset',
    examples: ['tickers solana'],
    view: views.tickers,
  },
  {
    name: 'balances',
    row: 'wallet.mainnet.helius.balances',
    summary: 'the tokens in a wallet',
    examples: [`balances ${WALLET} --pay`],
    view: views.balances,
  },
];

function rowBy(id: string): Route {
  const row = routes.find((each) => each.id === id);
  if (!row) throw new TypeError(`no row ${id}`);
  return row;
}

const schemaOf = (row: Route): Readonly<Record<string, { description?: string; enum?: readonly string[] }>> =>
  (row.input.query?.properties ?? {}) as never;

const optionName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The positional argument of a command: the path parameter, or the required query parameter. */
function argumentOf(row: Route): { name: string; in: 'path' | 'query' } {
  const [inPath] = Object.keys(row.input.path?.properties ?? {});
  if (inPath !== undefined) return { name: inPath, in: 'path' };
  const [needed = ''] = (row.input.query?.required ?? []) as readonly string[];
  return { name: needed, in: 'query' };
}

function optionsOf(row: Route): OptionTable {
  const named = Object.entries(schemaOf(row)).filter(([name]) => name !== argumentOf(row).name);
  return Object.fromEntries(
    named.map(([name, { description = '', enum: values }]) => [
      optionName(name),
      { type: 'string' as const, takes: '<value>', description, ...(values && { values }) },
    ]),
  );
}

function requestOf(
  { name, row: id, defaults = {}, examples }: Named,
  words: readonly string[],
  values: Values,
): GatewayRequest {
  const row = rowBy(id);
  const argument = argumentOf(row);
  const value = words.join(' ');
  if (value === '')
    throw new UsageError(`${name} takes <${optionName(argument.name)}>; type ${calledAs().command} ${examples[0]}`);
  const options = Object.keys(schemaOf(row)).flatMap((each) => {
    const given = values.text(optionName(each)) ?? defaults[each];
    return given === undefined ? [] : [[each, given]];
  });
  const query = [...(argument.in === 'query' ? [[argument.name, value]] : []), ...options];
  const path = row.path.replace(/:[a-zA-Z]+/, () => encodeURIComponent(value));
  const text = query.map(([key, each = '']) => `${key}=${encodeURIComponent(each)}`).join('&');
  return { path: text === '' ? path : `${path}?${text}` };
}

function commandFor(named: Named): Command {
  const row = rowBy(named.row);
  const request = (words: readonly string[], values: Values): GatewayRequest => requestOf(named, words, values);
  return {
    name: named.name,
    takes: `<${optionName(argumentOf(row).name)}>`,
    summary: named.summary,
    examples: named.examples,
    options: optionsOf(row),
    request,
    run: async ({ words, values, session }) => show(session, await session.ask(request(words, values)), named.view),
  };
}

const METHODS = routes.filter(({ surface, httpMethod }) => surface === 'rpc' && httpMethod === 'POST');

/** A word as JSON if it is JSON, else as text. */
function valueIn(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

function rpcRequest([method = '', ...words]: readonly string[], values: Values): GatewayRequest {
  const [cluster, provider] = [values.text('cluster') ?? 'mainnet', values.text('provider') ?? 'helius'];
  const row = METHODS.find(({ id }) => id === `rpc.${cluster}.${provider}.${method}`);
  const served = [...new Set(METHODS.map((each) => each.method))];
  if (!row)
    throw new UsageError(
      `${provider} does not serve ${method || 'a nameless method'} on ${cluster}; methods: ${served.join(', ')}`,
    );
  const names = (positionalParameters(row) ?? []).map(({ name, isRequired }) =>
    isRequired ? `<${name}>` : `[<${name}>]`,
  );
  if (words.length > names.length) throw new UsageError(`${method} takes ${names.join(' ')}`);
  return { path: row.path, body: { params: words.map(valueIn) } };
}

const rpc: Command = {
  name: 'rpc',
  takes: '<method> [<parameter> …]',
  summary: 'a Solana RPC method; write parameters other than plain text as JSON',
  examples: [`rpc getBalance ${SOL} --pay`, `rpc getAccountInfo ${SOL} '{"encoding":"base64"}' --pay --cluster devnet`],
  options: {
    ...CLUSTER,
    provider: { type: 'string', takes: '<name>', description: 'default: helius', values: ['helius', 'alchemy'] },
  },
  completes: [...new Set(METHODS.map(({ method }) => method))],
  request: rpcRequest,
  run: async ({ words, values, session }) => show(session, await session.ask(rpcRequest(words, values))),
};

/** The commands of single routes. Their arguments come from the route table. */
export const namedCommands: readonly Command[] = [...NAMED.map(commandFor), rpc];
