import { buildMethods, type ClientKind, type Reading } from './build-methods.ts';
import { Connection } from './connection.ts';
import { creditIn } from './credit.ts';
import { parseExact } from './exact-json.ts';
import { FREE_METHODS, METHODS, type Methods } from './methods.ts';
import { placeOf } from './place.ts';
import { resend } from './resending.ts';
import type { SentRequest } from './sent-request.ts';
import type { CallSettings, ClientOptions, FreeClientOptions } from './settings.ts';
import { paidAnswer } from './spending.ts';
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

/** What every client can do beside its methods. */
export interface Asking<Client> {
  /** The same client with other settings for some calls; wallet, nonces and payer are shared. */
  with(settings: CallSettings): Client;
  /** Asks for a path of the gateway and answers with its response, whatever its status. */
  ask(path: string, options?: AskOptions): Promise<Response>;
}

/** A gateway as one wallet sees it. */
export interface GatewayClient extends Methods, Asking<GatewayClient> {
  /** Sends a payment again that was signed before, until its outcome is known, and answers with the response. */
  resume(payment: SentPayment): Promise<Response>;
}

/** What of a gateway is free: it needs a signature at most. */
export interface FreeClient extends Pick<Methods, 'system' | 'tokens'>, Asking<FreeClient> {}

const FREE: ClientKind = { methods: FREE_METHODS, read: ({ json }) => JSON.parse(json) };

const WHOLE: ClientKind = {
  methods: METHODS,
  paid: paidAnswer,
  placeOf,
  read: ({ json, uint64 }: Reading) => parseExact(json, uint64),
  receipt: (response) => ({ transaction: transactionIn(response) || undefined, credit: creditIn(response) }),
};

function clientOver(connection: Connection, settings: CallSettings): GatewayClient {
  const { methods, ask, within } = buildMethods(connection, settings, WHOLE);
  return {
    ...(methods as Methods),
    ask,
    with: (other) => clientOver(connection, { ...settings, ...other }),
    resume: ({ request, headers }) => within((deadline) => resend(connection, request, { headers }, deadline)),
  };
}

function freeClientOver(connection: Connection, settings: CallSettings): FreeClient {
  const { methods, ask } = buildMethods(connection, settings, FREE);
  const other = (more: CallSettings) => freeClientOver(connection, { ...settings, ...more });
  return { ...(methods as Pick<Methods, 'system' | 'tokens'>), ask, with: other };
}

/** Makes a client of a gateway: `createClient({ baseUrl: 'https://gateway.example' })`. */
export function createClient(options: ClientOptions): GatewayClient {
  return clientOver(new Connection(options), options);
}

/** Makes a client of what is free, which is the smaller one: for pages that sign in and pay for nothing. */
export function createFreeClient(options: FreeClientOptions): FreeClient {
  return freeClientOver(new Connection(options), options);
}
