import { exactJson } from '@asset-gateway/protocol/wire';
import { buildClient, type ClientKind } from './build-methods.ts';
import { type Call, creditIn, transactionIn } from './call.ts';
import type { CallName, CallResult, CallValues } from './calls.ts';
import { Connection } from './connection.ts';
import { within } from './deadline.ts';
import { parseExact } from './exact-json.ts';
import { FREE_METHODS, METHODS, type Methods } from './methods.ts';
import { targetOf } from './request.ts';
import { resend } from './resending.ts';
import type { SentRequest } from './sent-request.ts';
import type { CallSettings, ClientOptions, FreeClientOptions } from './settings.ts';
import { paidAnswer } from './spending.ts';

/** Options of `ask`. A JSON body makes it a POST. */
export interface AskOptions {
  readonly body?: unknown;
}

/** A signed payment and the request that it buys. */
export interface SentPayment {
  readonly request: SentRequest;
  readonly headers: Readonly<Record<string, string>>;
  /** Called once if the outcome becomes known. */
  closed?(outcome: 'paid' | 'refused'): Promise<void>;
}

/** The functions that every client has besides its methods. */
export interface Asking<Client> {
  /** The same client with other settings. It shares wallet, nonces and payer. */
  with(settings: CallSettings): Client;
  /** Requests a path of the gateway and returns its response, whatever the status. */
  ask(path: string, options?: AskOptions): Promise<Response>;
  /**
   * Calls a route by its name in the gateway's catalog, `<surface>.<method>`, with one object of values by parameter. A name that occurs
   * in several places means the path's parameter, else the query's; the others are written with their place, such as `body.id`. An
   * unknown name, and an unknown or missing parameter, throw before anything is sent.
   */
  call<Name extends CallName>(name: Name, ...values: CallValues<Name>): Call<CallResult<Name>>;
}

/** A client of one gateway for one wallet. */
export interface GatewayClient extends Methods, Asking<GatewayClient> {
  /** Resends a signed payment until its outcome is known, and returns the response. */
  resume(payment: SentPayment): Promise<Response>;
}

/** A client of the free routes, which need at most a signature. */
export interface FreeClient extends Pick<Methods, 'system' | 'tokens'>, Asking<FreeClient> {}

const FREE: ClientKind = { methods: FREE_METHODS, write: JSON.stringify, read: (json) => JSON.parse(json) };

const WHOLE: ClientKind = {
  methods: METHODS,
  paid: paidAnswer,
  targetOf,
  write: exactJson,
  read: parseExact,
  receipt: (response) => ({ transaction: transactionIn(response) || undefined, credit: creditIn(response) }),
  more: (connection, settings) => ({
    resume: (payment: SentPayment) =>
      within(settings, (deadline) => resend(connection, payment.request, payment, deadline)),
  }),
};

/** Makes a client of a gateway: `createClient({ baseUrl: 'https://gateway.example' })`. */
export function createClient(options: ClientOptions): GatewayClient {
  return buildClient(new Connection(options), options, WHOLE) as GatewayClient;
}

/** Makes a client of the free routes. Pages that never pay load less with it. */
export function createFreeClient(options: FreeClientOptions): FreeClient {
  return buildClient(new Connection(options), options, FREE) as FreeClient;
}
