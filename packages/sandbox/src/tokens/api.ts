import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../chain/listen.ts';
import { createKnobs, knobsFor } from '../knobs.ts';
import { type Arrival, type FaultKnobs, type Faults, readBody, recordArrival } from './faults.ts';
import { deliver, deliverLong, faultyAnswer, requestIdOf, serve, type TokensApiState } from './serve.ts';

export type { Arrival, FaultKnobs, Faults } from './faults.ts';

/** The valid key, the port (default: a free one) and the clock in milliseconds. */
export interface TokensApiOptions {
  readonly key: string;
  readonly port?: number;
  readonly now?: () => number;
}

/** A running offline Tokens API. */
export interface TokensApi {
  /** The origin; the routes are below `/v1`. */
  readonly url: string;
  readonly key: string;
  /** The valid keys; add or delete keys at any time. */
  readonly keys: Set<string>;
  /** Every received request, oldest first. */
  readonly arrivals: Arrival[];
  readonly faults: Faults;
  close(): Promise<void>;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly arrival: Arrival;
  readonly knobs: FaultKnobs;
}

async function answer({ request, response, arrival, knobs }: Exchange, state: TokensApiState): Promise<void> {
  const reading = readBody(request, arrival);
  if (knobs.delayMs !== undefined) await wait(knobs.delayMs, undefined, { ref: false });
  if (knobs.resetConnection === true) {
    request.socket.resetAndDestroy();
    return;
  }
  if (knobs.hang === true || response.destroyed) return;
  await reading;
  const requestId = requestIdOf(arrival);
  if (requestId !== undefined) response.setHeader('x-request-id', requestId);
  if (knobs.huge !== undefined) {
    await deliverLong(response, knobs.huge, false);
  } else if (knobs.gzipBomb !== undefined) {
    await deliverLong(response, knobs.gzipBomb, true);
  } else {
    await deliver(response, faultyAnswer(knobs, arrival) ?? serve(arrival, state), knobs);
  }
}

interface Connection {
  readonly id: number;
  answered: number;
}

// Closes without `Connection: close`, so that the client notices only when it reuses the connection.
function closeAfter({ request, response, knobs }: Exchange, connection: Connection): void {
  response.once('finish', () => {
    connection.answered += 1;
    if (knobs.closeAfter !== undefined && connection.answered % knobs.closeAfter === 0) request.socket.end();
  });
}

/** Starts an offline Tokens API on 127.0.0.1 that answers like the real one, with fault knobs. */
export async function startTokensApi({ key, port = 0, now = Date.now }: TokensApiOptions): Promise<TokensApi> {
  const arrivals: Arrival[] = [];
  const faults = createKnobs<FaultKnobs>();
  const keys = new Set([key]);
  const connections = new WeakMap<Socket, Connection>();
  let opened = 0;
  const listener = await listen(port, (request, response) => {
    const connection = connections.get(request.socket) ?? { id: ++opened, answered: 0 };
    connections.set(request.socket, connection);
    const arrival = recordArrival(arrivals, request, connection.id);
    const exchange = { request, response, arrival, knobs: knobsFor(faults, arrival) };
    closeAfter(exchange, connection);
    return answer(exchange, { keys, now });
  });
  return { ...listener, key, keys, arrivals, faults };
}
