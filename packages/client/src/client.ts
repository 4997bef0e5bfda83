import { losslessJson } from '@asset-gateway/protocol/wire';
import { buildClient, type ClientKind } from './build-methods.ts';
import { type Call, creditIn, transactionIn } from './call.ts';
import type { CallName, CallResult, CallValues } from './calls.ts';
import { Connection } from './connection.ts';
import { within } from './deadline.ts';
import { parseLossless } from './lossless-json.ts';
import { FREE_METHODS, METHODS, type Methods } from './methods.ts';
import { targetOf } from './request.ts';
import { resend } from './resending.ts';
import type { SentRequest } from './sent-request.ts';
import type { CallSettings, ClientOptions, FreeClientOptions } from './settings.ts';
import { paidAnswer } from './spending.ts';

/** Options of `client.ask`. */
export interface AskOptions {
  /** The body as a value, which is sent as JSON. With a body the request is a POST, otherwise a GET. */
  readonly body?: unknown;
}

/** A signed payment and the request that it buys, such as an entry of a ledger. */
export interface SentPayment {
  /** The request that the payment buys. */
  readonly request: SentRequest;
  /** The headers that carry the payment. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Called once when the outcome is known.
   * @param outcome whether the gateway settled the payment or refused it
   */
  closed?(outcome: 'paid' | 'refused'): Promise<void>;
}

/** Functions that every client has besides its methods. */
export interface ClientFunctions<Client> {
  /**
   * Returns the same client with other settings. Both share wallet, nonces and payer.
   * @param settings settings to change; the others stay as they are
   * @example
   * const devnet = client.with({ cluster: 'devnet', timeoutMs: 5_000 });
   */
  with(settings: CallSettings): Client;
  /**
   * Requests a path of the gateway and returns its response with any status. Signs in, pays and retries as the methods do.
   * @param path a path of the gateway with its query, such as `/v1/catalog?provider=weather`
   * @param options the body of a POST
   * @throws GatewayError without an answer, or if the client may not sign or pay what the gateway asks for
   */
  ask(path: string, options?: AskOptions): Promise<Response>;
  /**
   * Calls a route by its name in the gateway's catalog. If several places have a parameter of the same name, the plain name is the
   * path's, else the query's; the others are written with their place, such as `body.id`.
   * @param name `<surface>.<method>`
   * @param values one object with the values of path, query and body by parameter
   * @throws GatewayError `not_served` for an unknown name, and `invalid_request` for an unknown or missing parameter; then nothing was
   * sent
   * @example
   * await client.call('weather.getForecast', { city: 'Rome', days: 3 });
   */
  call<Name extends CallName>(name: Name, ...values: CallValues<Name>): Call<CallResult<Name>>;
}

/** A client of one gateway for one wallet. */
export interface GatewayClient extends Methods, ClientFunctions<GatewayClient> {
  /**
   * Resends a signed payment until its outcome is known, and returns the response.
   * @param payment a payment from the ledger whose outcome is unknown
   * @throws GatewayError `payment_unknown` if the time ends before the outcome is known: resend the same payment later
   */
  resume(payment: SentPayment): Promise<Response>;
}

/** A client of free routes, which need at most a signature. */
export interface FreeClient extends Pick<Methods, 'system' | 'tokens'>, ClientFunctions<FreeClient> {}

const FREE: ClientKind = { methods: FREE_METHODS, write: JSON.stringify, read: (json) => JSON.parse(json) };

const WHOLE: ClientKind = {
  methods: METHODS,
  paid: paidAnswer,
  howToPay: ' This client cannot pay: pass `pay` to createClient, such as payWith() of @asset-gateway/client/pay.',
  targetOf,
  write: losslessJson,
  read: parseLossless,
  receipt: (response) => ({ transaction: transactionIn(response) || undefined, credit: creditIn(response) }),
  more: (connection, settings) => ({
    resume: (payment: SentPayment) =>
      within(settings, (deadline) => resend(connection, payment.request, payment, deadline)),
  }),
};

/**
 * Makes a client of a gateway. It sends nothing until its first call.
 * @param options the gateway's origin, the wallet, the payer, and settings for all calls
 * @example
 * const client = createClient({ baseUrl: 'https://gateway.example' });
 * const { results } = await client.tokens.search({ q: 'gold', limit: 3 });
 */
export function createClient(options: ClientOptions): GatewayClient {
  return buildClient(new Connection(options), options, WHOLE) as GatewayClient;
}

/**
 * Makes a client of the free routes. A page that never pays loads less with it.
 * @param options the gateway's origin, the wallet, and settings for all calls
 */
export function createFreeClient(options: FreeClientOptions): FreeClient {
  return buildClient(new Connection(options), options, FREE) as FreeClient;
}
