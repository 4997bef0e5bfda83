import { GatewayError } from '@asset-gateway/client';
import { type ListedRoute, listedMicros } from '@asset-gateway/client/pay';
import { apiRoutes, type CallParameter, callName, callParameters, requestFor } from '@asset-gateway/client/tools';
import { dollarText, isObject, listAt, type Members, objectAt, oneLine } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { UsageError } from '../failure.ts';
import { catalogOf } from '../money/catalog.ts';
import { COMMON, jsonOrText, type OptionTable, optionName, type Values } from '../options.ts';
import { isHttpUrl } from '../session.ts';
import type { Command, FoundCommand } from './command.ts';

const MAX_TEXT = 200;
const MAX_VALUES = 20;
const MAX_EXAMPLES = 30;
/** The most characters of names and commas in the list of methods. */
const MAX_METHODS = 3_000;
const API_NAME = /^[a-z][a-z0-9-]{1,30}$/;
const PLAIN_WORD = /^[\w./:,@-]+$/;
const PLAIN_OPTION = /^\w[\w.[\]-]{0,63}$/;

/** Whether a parameter has an option of its own. One with the name of a common option, or with characters of a shell, has none. */
const hasOption = ({ name }: CallParameter): boolean =>
  PLAIN_OPTION.test(name) && !Object.hasOwn(COMMON, optionName(name));

/** Returns the parameters that have an option of their own. The others need the JSON object. */
function optionsBy(route: ListedRoute): ReadonlyMap<string, CallParameter> {
  const named = callParameters(route).filter(hasOption);
  return new Map(named.map((each) => [optionName(each.name), each] as const).toReversed());
}

const wordsIn = (schema: unknown): string[] =>
  listAt(schema, 'enum')
    .slice(0, MAX_VALUES)
    .filter((each) => typeof each === 'string')
    .map((each) => oneLine(each, MAX_TEXT));

/** Returns the options of these parameters. */
export function optionTable(parameters: readonly CallParameter[]): OptionTable {
  const rows = parameters.map(({ name, schema, isRequired }) => {
    const { description, type } = objectAt(schema);
    const words = wordsIn(schema);
    const about = oneLine(description, MAX_TEXT) || (typeof type === 'string' ? oneLine(type, 20) : 'a value');
    const row = { takes: '<value>', description: isRequired ? `${about} (required)` : about };
    return [optionName(name), words.length > 0 ? { ...row, values: words } : row];
  });
  return Object.fromEntries(rows);
}

/** Returns a word as a shell reads it, quoted if necessary. */
const shellWord = (text: string): string => (PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function exampleCommand(route: ListedRoute): string {
  const needed = callParameters(route).filter(({ isRequired }) => isRequired);
  const sampleOf = ({ schema }: CallParameter): unknown => listAt(schema, 'examples')[0] ?? wordsIn(schema)[0] ?? '…';
  const wordOf = (value: unknown): string => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return shellWord(oneLine(text, MAX_TEXT));
  };
  const options = needed.filter(hasOption).map((each) => `--${optionName(each.name)} ${wordOf(sampleOf(each))}`);
  const others = needed.filter((each) => !hasOption(each)).map((each) => [each.name, sampleOf(each)]);
  const json = others.length > 0 ? [wordOf(Object.fromEntries(others))] : [];
  const pay = route.accessMode === 'exact' ? ['--pay'] : [];
  return [route.surface, route.method, ...json, ...options, ...pay].join(' ');
}

/** Converts an option's text to the type in its schema. */
function valueIn(text: string, schema: unknown): unknown {
  const { type, items } = objectAt(schema);
  if (type === 'string') return text;
  if (type === 'array' && !text.trim().startsWith('[')) return text.split(',').map((each) => valueIn(each, items));
  return jsonOrText(text);
}

function valuesIn(route: ListedRoute, words: readonly string[], values: Values): Members {
  const [json, ...more] = words;
  const given = json === undefined ? {} : jsonOrText(json);
  if (more.length > 0 || !isObject(given))
    throw new UsageError(
      `${route.surface} ${route.method} takes options or one JSON object; type ${calledAs().command} ${exampleCommand(route)}`,
    );
  const options = [...optionsBy(route)].flatMap(([option, { name, schema }]) => {
    const text = values.text(option);
    return text === undefined ? [] : [[name, valueIn(text, schema)]];
  });
  return { ...given, ...Object.fromEntries(options) };
}

function commandOf(route: ListedRoute): Command {
  const micros = listedMicros(route);
  const about = route.description.replace(/\.$/, '') || callName(route);
  return {
    name: `${route.surface} ${route.method}`,
    takes: '[<json object>]',
    summary: `${about}. ${micros > 0 ? `Costs ${dollarText(micros)} a call` : 'Free, for a signature'}`,
    examples: [exampleCommand(route)],
    options: optionTable([...optionsBy(route).values()].toReversed()),
    request: (words, values) => requestFor(route, valuesIn(route, words, values)),
  };
}

/** Returns the command of an API without a method. Its help lists the methods. */
function apiCommand(api: string, routes: readonly ListedRoute[], wrong: string | undefined): Command {
  const some = routes.slice(0, MAX_EXAMPLES);
  const more = routes.length - some.length;
  const methods = some.map(({ method }) => method).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return {
    name: api,
    takes: '<method> [--<parameter> <value> …]',
    summary: `calls of the API ${api}`,
    examples: some.map(exampleCommand),
    async run() {
      const what = wrong === undefined ? `${api} takes a method` : `${api} has no method ${oneLine(wrong, 64)}`;
      throw new UsageError(oneLine(`${what}; methods: ${methods}`, MAX_METHODS));
    },
  };
}

function noneIfUnknown(error: unknown): readonly ListedRoute[] {
  if (error instanceof GatewayError && error.code === 'invalid_provider_filter') return [];
  throw error;
}

/** Returns the command of an API that the gateway serves; undefined if it serves no such API. Throws if the gateway does not answer. */
export async function apiCommandFor(
  [api = '', method, ...rest]: readonly string[],
  gateway: string,
): Promise<FoundCommand | undefined> {
  if (!API_NAME.test(api) || !isHttpUrl(gateway)) return undefined;
  const listed = await catalogOf(gateway, { provider: api }).catch(noneIfUnknown);
  const routes = apiRoutes(listed).filter(({ surface }) => surface === api);
  if (routes.length === 0) return undefined;
  const route = routes.find((each) => each.method === method);
  return route ? { command: commandOf(route), rest } : { command: apiCommand(api, routes, method), rest };
}
