import { positionalParameters, type Route, routes } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { UsageError } from '../failure.ts';
import { CLUSTER, jsonOrText, type OptionTable, optionName, type Values } from '../options.ts';
import type { GatewayRequest } from '../request.ts';
import * as views from '../show/views.ts';
import type { RequestCommand } from './command.ts';
import named from './named.json' with { type: 'json' };

/** A route with its own command. */
interface Named {
  readonly name: string;
  /** The id of its row. */
  readonly row: string;
  readonly summary: string;
  readonly example: string;
  /** Default query parameters. */
  readonly defaults?: Readonly<Record<string, string>>;
}

const VIEWS: Readonly<Record<string, views.View>> = { ...views, price: views.assetPrice };

const SOL = 'So11111111111111111111111111111111111111112';

function rowBy(id: string): Route {
  const row = routes.find((each) => each.id === id);
  if (!row) throw new TypeError(`no row ${id}`);
  return row;
}

const schemaOf = (row: Route): Readonly<Record<string, { description?: string; enum?: readonly string[] }>> =>
  (row.input.query?.properties ?? {}) as never;

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
  { name, row: id, defaults = {}, example }: Named,
  words: readonly string[],
  values: Values,
): GatewayRequest {
  const row = rowBy(id);
  const argument = argumentOf(row);
  const value = words.join(' ');
  if (value === '')
    throw new UsageError(`${name} takes <${optionName(argument.name)}>; type ${calledAs().command} ${example}`);
  const options = Object.keys(schemaOf(row)).flatMap((each) => {
    const given = values.text(optionName(each)) ?? defaults[each];
    return given === undefined ? [] : [[each, given]];
  });
  const query = [...(argument.in === 'query' ? [[argument.name, value]] : []), ...options];
  const path = row.path.replace(/:[a-zA-Z]+/, () => encodeURIComponent(value));
  const text = query.map(([key, each = '']) => `${key}=${encodeURIComponent(each)}`).join('&');
  return { path: text === '' ? path : `${path}?${text}` };
}

function commandFor(own: Named): RequestCommand {
  const row = rowBy(own.row);
  return {
    name: own.name,
    takes: `<${optionName(argumentOf(row).name)}>`,
    summary: own.summary,
    examples: [own.example],
    options: optionsOf(row),
    request: (words, values) => requestOf(own, words, values),
    view: VIEWS[own.name],
  };
}

const METHODS = routes.filter(({ surface, httpMethod }) => surface === 'rpc' && httpMethod === 'POST');

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
  return { path: row.path, body: { params: words.map(jsonOrText) } };
}

const rpc: RequestCommand = {
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
};

/** The commands of single routes. Their arguments come from the route table. */
export const namedCommands: readonly RequestCommand[] = [...named.map(commandFor), rpc];
