import { oneLine } from '@asset-gateway/protocol/wire';
import { Call, type Full, type MethodRow, type MethodTable } from './call.ts';
import type { Connection } from './connection.ts';
import { type Deadline, within } from './deadline.ts';
import { errorOf, notAGateway } from './error.ts';
import { Exchange, type Outgoing } from './exchange.ts';
import type { NamedCall, PreparedCall } from './named-call.ts';
import { gateOf, type MethodCall, outgoingFor, type Target, urlOf } from './request.ts';
import type { CallSettings } from './settings.ts';

/** The parts of one kind of client. A bundler drops parts that a kind does not use. */
export interface ClientKind {
  readonly methods: MethodTable;
  /** Fetches the answer of a paid route. Undefined for a client of free routes. */
  readonly paid?: (exchange: Exchange) => Promise<Response>;
  /** A sentence for the error of a client that needs to pay and has no payer. */
  readonly howToPay?: string;
  /** Chooses the cluster and provider of a paid method. */
  readonly targetOf?: (row: MethodRow, call: MethodCall) => Target;
  /** Writes a value as the text of a body. */
  readonly write: (value: unknown) => string;
  /** Parses the text of a body. `uint64`: the paths of its 64-bit numbers. */
  readonly read: (json: string, uint64: readonly string[]) => unknown;
  /** The payment fields in an answer's headers. */
  readonly receipt?: (response: Response) => Pick<Full<unknown>, 'transaction' | 'credit'>;
  /** Functions that only this kind of client has. */
  readonly more?: (connection: Connection, settings: CallSettings) => object;
}

/** Returns the result of a successful answer: parsed JSON, or text. */
function readResult(response: Response, text: string, row: MethodRow, { read }: ClientKind) {
  const { isBare, uint64 = [] } = row;
  if (!response.headers.get('content-type')?.startsWith('application/json')) return { result: text };
  const paths = uint64.map((path) => (path ? `result.${path}` : 'result'));
  const body = read(text, paths);
  if (isBare) return { result: body };
  const { result, priceUsd } = body as { readonly result: unknown; readonly priceUsd?: unknown };
  return { result, priceUsd };
}

/**
 * Returns an answer with its parts. Throws a `GatewayError` if the status is not a success. For a paid route's 402, the error includes the
 * hint. The error's `response` can still be read.
 */
async function readFull(
  response: Response,
  row: MethodRow,
  kind: ClientKind,
  hint: string | undefined,
): Promise<Full<unknown>> {
  const text = await response.clone().text();
  if (!response.ok) throw errorOf(response, text, response.status === 402 && row.access === 'exact' ? hint : '');
  const receipt = kind.receipt?.(response) ?? { transaction: undefined, credit: undefined };
  try {
    const { result, priceUsd } = readResult(response, text, row, kind);
    const requestId = response.headers.get('x-request-id') ?? undefined;
    return { result, text, requestId, price: oneLine(priceUsd, 32) || undefined, ...receipt, response };
  } catch {
    throw notAGateway(response, receipt.transaction);
  }
}

/** One function per row of the table. */
function methodsOf(table: MethodTable, call: (row: MethodRow, name: string, values: readonly unknown[]) => unknown) {
  const families = Object.entries(table).map(([family, rows]) => {
    const methods = Object.entries(rows).map(([method, row]) => {
      return [method, (...values: unknown[]) => call(row, `${family}.${method}`, values)];
    });
    return [family, Object.fromEntries(methods)];
  });
  return Object.fromEntries(families) as object;
}

/** Returns a client of this kind on a connection that other clients may share. It has methods by family, and further functions. */
export function buildClient(connection: Connection, settings: CallSettings, kind: ClientKind): object {
  const { base } = connection;
  const { methods, paid } = kind;
  async function answerTo(outgoing: Outgoing, deadline: Deadline): Promise<Response> {
    const exchange = new Exchange(connection, outgoing, settings, deadline);
    if (outgoing.access === 'public') return exchange.send({});
    // Without a payer, a path that is not in the table can only be free.
    return paid && outgoing.access !== 'siwx' ? paid(exchange) : exchange.signedIn(connection.pool('free'));
  }
  const called = (prepare: (deadline: Deadline) => PreparedCall | Promise<PreparedCall>): Call<unknown> => {
    const full = within(settings, async (deadline) => {
      const { outgoing, row, read = kind.read } = await prepare(deadline);
      const response = await answerTo(outgoing, deadline);
      return deadline.race(readFull(response, row, { ...kind, read }, connection.options.pay ? '' : kind.howToPay));
    });
    return new Call(full);
  };
  return {
    ...methodsOf(methods, (row, name, values) =>
      called(() => {
        const call = { name, values, base, settings, write: kind.write };
        return { outgoing: outgoingFor(row, call, row.served ? (kind.targetOf?.(row, call) ?? {}) : {}), row };
      }),
    ),
    call: (name: string, values: NamedCall['values'] = {}) =>
      called(async (deadline) => {
        const { namedCall } = await import('./named-call.ts');
        return namedCall(connection, deadline, { name, values, settings });
      }),
    ask: (path: string, { body }: { readonly body?: unknown } = {}) =>
      within(settings, (deadline) => {
        const url = urlOf(path, base);
        const text = body === undefined ? undefined : kind.write(body);
        const request = { url: url.href, method: text === undefined ? 'GET' : 'POST', body: text } as const;
        return answerTo({ request, ...gateOf(url.pathname, methods, settings.cluster ?? 'mainnet') }, deadline);
      }),
    with: (other: CallSettings) => buildClient(connection, { ...settings, ...other }, kind),
    ...kind.more?.(connection, settings),
  };
}
