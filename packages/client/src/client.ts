import { Call, type Full } from './call.ts';
import { Connection } from './connection.ts';
import { creditIn } from './credit.ts';
import { Deadline } from './deadline.ts';
import { errorOf } from './error.ts';
import { parseExact } from './exact-json.ts';
import { Exchange, type Meant } from './exchange.ts';
import type { MethodRow } from './method-row.ts';
import { METHODS, type Methods } from './methods.ts';
import type { SentRequest } from './payer.ts';
import { gateOf, meantBy } from './request.ts';
import { resend } from './resending.ts';
import type { CallSettings, ClientOptions } from './settings.ts';
import { transactionIn } from './transaction.ts';

/** A request beyond its path: a JSON body makes it a POST. */
export interface AskOptions {
  readonly body?: unknown;
}

/** A payment that was signed, with the request that it buys. */
export interface SentPayment {
  readonly request: SentRequest;
  readonly headers: Readonly<Record<string, string>>;
}

/** A gateway as one wallet sees it. */
export interface GatewayClient extends Methods {
  /** The same client with other settings for some calls; wallet, nonces and payer are shared. */
  with(settings: CallSettings): GatewayClient;
  /** Asks for a path of the gateway and answers with its response, whatever its status. */
  ask(path: string, options?: AskOptions): Promise<Response>;
  /** Sends a payment again that was signed before, until its outcome is known, and answers with the response. */
  resume(payment: SentPayment): Promise<Response>;
}

const TIMEOUT_MS = 30_000;

/** What is read of a success: a JSON body, or text. */
function readResult(
  response: Response,
  text: string,
  { bare, uint64 = [] }: MethodRow,
): { result: unknown; price?: string } {
  if (!response.headers.get('content-type')?.startsWith('application/json')) return { result: text };
  const body = parseExact(text, bare ? uint64 : uint64.map((path) => (path ? `result.${path}` : 'result')));
  if (bare) return { result: body };
  const { result, priceUsd } = body as { result: unknown; priceUsd?: string };
  return { result, ...(priceUsd !== undefined && { price: priceUsd }) };
}

/** An answer's text; its parts where it is a success. Throws what else it is. */
async function readFull<T>(response: Response, row: MethodRow): Promise<Full<T>> {
  const text = await response.text();
  if (!response.ok) throw errorOf(response, text);
  try {
    const { result, price } = readResult(response, text, row);
    return {
      result: result as T,
      text,
      requestId: response.headers.get('x-request-id') ?? undefined,
      price,
      transaction: transactionIn(response) || undefined,
      credit: creditIn(response),
      response,
    };
  } catch {
    throw errorOf(response, text);
  }
}

/** One client over a connection that others may share. */
function clientOver(connection: Connection, settings: CallSettings): GatewayClient {
  const within = async <T>(work: (deadline: Deadline) => Promise<T>): Promise<T> => {
    const deadline = new Deadline(settings.timeoutMs ?? TIMEOUT_MS, settings.signal);
    try {
      return await work(deadline);
    } finally {
      deadline.end();
    }
  };
  const exchange = (meant: Meant, deadline: Deadline) => new Exchange(connection, meant, settings, deadline).run();
  const call = (row: MethodRow, name: string, values: readonly unknown[]): Call<unknown> =>
    new Call(
      within(async (deadline) => {
        const meant = meantBy(row, { name, values, base: connection.base, settings });
        return deadline.race(readFull(await exchange(meant, deadline), row));
      }),
    );
  const families = Object.entries(METHODS).map(([family, rows]) => {
    const methods = Object.entries(rows).map(([method, row]) => {
      return [method, (...values: unknown[]) => call(row, `${family}.${method}`, values)];
    });
    return [family, Object.fromEntries(methods)];
  });
  return {
    ...(Object.fromEntries(families) as Methods),
    with: (other) => clientOver(connection, { ...settings, ...other }),
    ask: (path, { body } = {}) =>
      within((deadline) => {
        const url = new URL(path, connection.base);
        const text = body === undefined ? undefined : JSON.stringify(body);
        const request = { url: url.href, method: text === undefined ? 'GET' : 'POST', body: text } as const;
        return exchange({ name: url.pathname, request, ...gateOf(url.pathname) }, deadline);
      }),
    resume: ({ request, headers }) => within((deadline) => resend(connection, request, { headers }, deadline)),
  };
}

/** Makes a client of a gateway: `createClient({ baseUrl: 'https://gateway.example' })`. */
export function createClient(options: ClientOptions): GatewayClient {
  return clientOver(new Connection(options), options);
}
