import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A server on 127.0.0.1. */
interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** A received request, before any check. */
export interface Arrival {
  /** `performance.now()` in milliseconds when the headers arrived. */
  readonly at: number;
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The body. Set once it has been read. */
  body: string;
  /** The number of the connection, from 1. */
  readonly connection: number;
}

/** Faults of every upstream. Undefined knobs are off. */
export interface CommonKnobs {
  /** Which requests the knobs affect; default: all. */
  only?: ((arrival: Arrival) => boolean) | undefined;
  /** How many more requests the knobs affect. */
  times?: number | undefined;
  /** Delay the answer, in milliseconds. */
  delayMs?: number | undefined;
  /** Delay the answer until this resolves. */
  until?: Promise<unknown> | undefined;
  /** Never answer. The connection stays open until the client closes it. */
  hang?: boolean | undefined;
  /** Reset the connection without an answer. */
  resetConnection?: boolean | undefined;
  /** Answer this status with the upstream's error JSON. */
  status?: number | undefined;
  /** The Retry-After header for `status`. */
  retryAfter?: string | undefined;
  /** The error message for `status`. */
  message?: string | undefined;
  /** Send the full Content-Length and this fraction (0 to 1) of the body, then close the connection. */
  truncate?: number | undefined;
}

/** Fault knobs of a running server. Set them at any time; they affect later requests. */
export type Faults<Knobs> = Knobs & {
  /** Turns every knob off. */
  reset(): void;
};

/** An answer before it is written. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string | Buffer;
}

/** Returns an answer of JSON text. */
export const jsonAnswer = (status: number, body: Answer['body'], headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

/** Returns the header of a knob, if it is on. */
export const retryAfterOf = ({ retryAfter }: CommonKnobs): Record<string, string> =>
  retryAfter === undefined ? {} : { 'retry-after': retryAfter };

/** A running upstream. */
export interface Upstream<Knobs> extends Listener {
  /** Every received request, oldest first. */
  readonly arrivals: Arrival[];
  readonly faults: Faults<Knobs>;
}

const MAX_RECORDED = 100_000;

/** Appends a received request. A sandbox that runs for days drops the oldest ones. */
export function record<Item>(items: Item[], item: Item): Item {
  if (items.length >= MAX_RECORDED) items.splice(0, MAX_RECORDED / 2);
  items.push(item);
  return item;
}

/** Knobs that are all off, and members that no reset removes. */
export function createFaults<Knobs extends object>(permanent: object = {}): Faults<Knobs> {
  const reset = (): void => {
    for (const knob of Object.keys(faults)) if (!Object.hasOwn(kept, knob)) Reflect.deleteProperty(faults, knob);
  };
  const kept = { ...permanent, reset };
  const faults = { ...kept } as Faults<Knobs>;
  return faults;
}

/** Returns the knobs that affect a request. Counts down `times`. */
function knobsFor<Knobs extends CommonKnobs>(all: Faults<Knobs>, arrival: Arrival): Partial<Knobs> {
  const { reset: _, only, times, ...knobs } = all;
  const isOn = Object.values(knobs).some((value) => value !== undefined && value !== false);
  if (!isOn || (times !== undefined && times <= 0) || only?.(arrival) === false) return {};
  if (times !== undefined) all.times = times - 1;
  return knobs as unknown as Partial<Knobs>;
}

/** Returns a request's body, or what has arrived of it if the client disconnects. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The client disconnected.
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends an answer, or only a fraction of its body. */
export function send(response: ServerResponse, { status, headers, body }: Answer, truncate?: number): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  if (truncate === undefined || response.req.method === 'HEAD') {
    response.end(bytes);
    return;
  }
  response.flushHeaders();
  response.write(bytes.subarray(0, Math.floor(bytes.length * truncate)));
  response.socket?.destroySoon();
}

/** Answers a request. If it throws, the connection is closed. */
type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Starts a server on 127.0.0.1. Port 0 means a free one. */
export async function listen(port: number, handle: Answering): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

type Handle<Knobs> = (arrival: Arrival, knobs: Partial<Knobs>, response: ServerResponse) => Promise<void>;

/** Starts an upstream with fault knobs on 127.0.0.1. Port 0 means a free one. */
export async function startUpstream<Knobs extends CommonKnobs>(
  port: number,
  handle: Handle<Knobs>,
): Promise<Upstream<Knobs>> {
  const arrivals: Arrival[] = [];
  const faults = createFaults<Knobs>();
  const connections = new WeakMap<Socket, number>();
  let opened = 0;
  const listener = await listen(port, async (request, response) => {
    const { method = '', url: target = '', headers, socket } = request;
    const connection = connections.get(socket) ?? ++opened;
    connections.set(socket, connection);
    const at = performance.now();
    const arrival = record(arrivals, { at, method, target, headers: { ...headers }, body: '', connection });
    arrival.body = await readBody(request);
    const knobs = knobsFor(faults, arrival);
    if (knobs.delayMs !== undefined) await wait(knobs.delayMs, undefined, { ref: false });
    await knobs.until;
    if (knobs.resetConnection === true) socket.resetAndDestroy();
    else if (knobs.hang !== true && !response.destroyed) await handle(arrival, knobs, response);
  });
  return { ...listener, arrivals, faults };
}
