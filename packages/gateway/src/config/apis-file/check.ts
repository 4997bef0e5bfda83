import { dollarText, type OwnPrice, oneLine, type Route } from '@asset-gateway/protocol';
import { DocumentFault, firstOf, type OpenApiDocument, type Operation } from '../../apis/document.ts';
import type { SentHere } from '../../apis/parameters.ts';
import { rowOfOperation } from '../../apis/rows.ts';
import type { Lifetime } from '../../cache/lifetimes.ts';
import type { Environment } from '../settings.ts';
import { dangersOf } from './dangers.ts';
import { type ApiPlan, readApisFile, sentFor } from './file.ts';
import { FILE } from './format.ts';
import { variablesOf } from './keys.ts';
import type { OwnSurface, SurfaceSettings } from './surface-settings.ts';

const USAGE = `Usage: asset-gateway check [--env] <file>
       asset-gateway check --schema
  Reads a file of APIs as the gateway does at its start, and prints the rows that it would serve, the other operations of each
  document, and every fault. Exit code 1 if there is a fault.
  --env      also checks that the variables of the keys are set
  --schema   prints the JSON Schema of the file, for editors
`;

type CheckOutput = Readonly<Record<'stdout' | 'stderr', { write(text: string): unknown }>>;

/** Returns why an operation cannot be served; undefined if it can be. */
function whyNot(document: OpenApiDocument, operation: Operation, sent: SentHere): string | undefined {
  try {
    rowOfOperation(document, operation, { api: 'api', access: 'siwx', cluster: 'mainnet', ...sent });
    return undefined;
  } catch (error) {
    if (error instanceof DocumentFault) return error.message;
    throw error;
  }
}

const operationNameOf = ({ node, verb, path }: Operation): string =>
  typeof node.operationId === 'string' ? node.operationId : `${verb} ${path}`;

const MAX_TEXT = 1_000;

/** Returns these lines with aligned columns. Their texts may come from a document, so each is on one line without hidden characters. */
function columns(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => oneLine(cell, MAX_TEXT)));
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const aligned = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return rows.map((row) => `  ${aligned(row).trimEnd()}\n`).join('');
}

const priceOf = ({ micros, settlementFee }: OwnPrice): string =>
  `${dollarText(micros)}${settlementFee ? ' plus the settlement fee, SETTLEMENT_FEE_USD_MICROS' : ''}`;

function rowLine({ id, httpMethod, path, method }: Route, { prices }: ApiPlan): readonly string[] {
  const own = prices.get(id);
  return [`${httpMethod} ${path}`, own ? priceOf(own) : 'free for a signature', method];
}

/** Returns the document's operations that the file does not name. Gives the reason if one cannot be served. */
function others({ name: api, document, entry }: ApiPlan): string {
  if (!document) return '';
  const rest = document.operations().filter((operation) => {
    const names = [operationNameOf(operation), `${operation.verb} ${operation.path}`];
    return !names.some((name) => Object.hasOwn(entry.operations, name));
  });
  if (rest.length === 0) return '';
  const lines = rest.map((operation): readonly [string, string] => {
    const reason = whyNot(document, operation, sentFor(entry));
    return [operationNameOf(operation), reason === undefined ? 'not named' : `cannot be served: ${reason}`];
  });
  return `The other operations of ${api}:\n${columns(lines)}`;
}

const MAX_PATHS = 3;

/** Lists the paths to which a row's values could lead. The row refuses such values. */
function refusedPaths({ document, rows }: ApiPlan): string {
  const lines = rows.flatMap(({ upstream, method }) => {
    const { path } = upstream;
    const others: string[] = [];
    for (const other of document?.paths.othersFor(path) ?? []) if (others.push(other) > MAX_PATHS) break;
    return others.length === 0 ? [] : [[method, path, `never as ${firstOf(others, MAX_PATHS)}`]];
  });
  return lines.length === 0 ? '' : `Values that would lead to another path are refused:\n${columns(lines)}`;
}

const MAX_NOTES = 5;

/** Returns notes about rows, under a title. */
function notesOf(title: string, { rows }: ApiPlan, notesOfRow: (row: Route) => Iterable<string>): string {
  const lines = rows.flatMap((row) => {
    const all = [...notesOfRow(row)].map((note) => [row.method, note]);
    const more = all.length > MAX_NOTES ? [[row.method, `and ${all.length - MAX_NOTES} more`]] : [];
    return [...all.slice(0, MAX_NOTES), ...more];
  });
  return lines.length === 0 ? '' : `${title}:\n${columns(lines)}`;
}

/** Returns the file's changes to the gateway's own routes. */
function ownRoutes({ off, limits, disabled, prices, lifetimes }: SurfaceSettings): string {
  const limited = (surface: OwnSurface, limit: number) =>
    `${limit} requests a ${surface === 'tokens' ? 'minute' : 'second'}`;
  const cached = ({ freshSeconds: fresh, maxStaleSeconds: most }: Lifetime) =>
    `cached: fresh ${fresh} s, at most ${most} s`;
  const lines = [
    ...[...off].map((family) => [family, 'disabled']),
    ...[...limits].map(([family, limit]) => [family, limited(family, limit)]),
    ...[...disabled].map((id) => [id, 'disabled']),
    ...[...prices].map(([id, own]) => [id, priceOf(own)]),
    ...[...lifetimes].map(([id, lifetime]) => [id, cached(lifetime)]),
  ];
  return lines.length === 0 ? '' : `The gateway's own routes:\n${columns(lines)}`;
}

/** Prints which routes a file of APIs serves. Returns the exit code. */
export function check(
  given: readonly string[],
  { stdout, stderr }: CheckOutput,
  environment: Environment = {},
): number {
  const [word, ...more] = given.filter((each) => each !== '--env');
  if (word === '--help' || word === '-h') {
    stdout.write(USAGE);
    return 0;
  }
  if (word === '--schema' && more.length === 0) {
    stdout.write(`${JSON.stringify(FILE, null, 2)}\n`);
    return 0;
  }
  if (word === undefined || word.startsWith('-') || more.length > 0) {
    stderr.write(USAGE);
    return 2;
  }
  const { apis, families, faults } = readApisFile(word);
  if (faults.length > 0) {
    stderr.write(faults.map((fault) => `${fault}.\n`).join(''));
    return 1;
  }
  for (const plan of apis) {
    stdout.write(`${plan.entry.title}:\n${columns(plan.rows.map((row) => rowLine(row, plan)))}`);
    stdout.write(notesOf('Look at these before you serve them', plan, (row) => dangersOf(row, plan)));
    stdout.write(notesOf('What the gateway does not check or send', plan, ({ id }) => plan.notes.get(id) ?? []));
    stdout.write(refusedPaths(plan) + others(plan));
  }
  const own = ownRoutes(families);
  stdout.write(own);
  if (own === '' && apis.every(({ rows }) => rows.length === 0)) stdout.write('The file serves no operation.\n');
  const variables = [...new Set(apis.flatMap(({ urls }) => urls.flatMap(({ key }) => variablesOf(key))))];
  if (variables.length > 0) stdout.write(`The gateway reads keys from ${variables.join(', ')}.\n`);
  const unset = given.includes('--env') ? variables.filter((name) => !environment[name]?.trim()) : [];
  stderr.write(unset.map((name) => `${name} is not set.\n`).join(''));
  return unset.length > 0 ? 1 : 0;
}
