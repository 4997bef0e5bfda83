import {
  type CallParameter,
  type CallRequest,
  callableRow,
  callParameters,
  requestFor,
} from '@asset-gateway/client/tools';
import { positionalParameters, routes } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { UsageError } from '../failure.ts';
import { CLUSTER, jsonOrText, optionName, type Values } from '../options.ts';
import * as formatters from '../show/formatters.ts';
import { optionTable } from './api.ts';
import type { RequestCommand } from './command.ts';
import named from './named.json' with { type: 'json' };

const FORMATTERS: Readonly<Record<string, formatters.Formatter>> = { ...formatters, price: formatters.assetPrice };

/** The command that finds an argument. */
const FINDERS: Readonly<Record<string, string>> = { assetId: 'search', mint: 'variants' };

const SOL = 'So11111111111111111111111111111111111111112';

function commandFor({ name, row: id, summary, example, defaults }: (typeof named)[number]): RequestCommand {
  const row = routes.find((each) => each.id === id);
  if (!row) throw new TypeError(`no row ${id}`);
  const route = callableRow(row);
  // The positional argument is the path parameter or the required query parameter.
  const [argument, ...options] = callParameters(route) as [CallParameter, ...CallParameter[]];
  const takes = `<${optionName(argument.name)}>`;
  const finder = FINDERS[argument.name];
  return {
    name,
    takes,
    summary,
    examples: [example],
    options: optionTable(options),
    request(words, values) {
      const value = words.join(' ');
      if (value === '') throw new UsageError(`${name} takes ${takes}; type ${calledAs().command} ${example}`);
      const given = options.map((each) => [
        each.name,
        values.text(optionName(each.name)) ?? defaults?.[each.name as 'include'],
      ]);
      return requestFor(route, { ...Object.fromEntries(given), [argument.name]: value });
    },
    ...(finder && { elsewhere: (words) => `${finder} ${words.join(' ')}` }),
    formatter: FORMATTERS[name],
  };
}

const METHODS = routes.filter(({ surface, httpMethod }) => surface === 'rpc' && httpMethod === 'POST');

function rpcRequest([method = '', ...words]: readonly string[], values: Values): CallRequest {
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
    provider: { takes: '<name>', description: 'default: helius', values: ['helius', 'alchemy'] },
  },
  completes: [...new Set(METHODS.map(({ method }) => method))],
  request: rpcRequest,
};

/** The commands of single routes. The route table gives their arguments. */
export const namedCommands: readonly RequestCommand[] = [...named.map(commandFor), rpc];
