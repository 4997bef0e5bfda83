import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@asset-gateway/gateway';
import type { Route } from '@asset-gateway/protocol';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { documentPath, KEY, writeDocument } from './document-files.ts';

const SUCCESS = 200;
const EMPTY = 204;
const HEADERS = { 'content-type': 'application/json', location: '/elsewhere', 'retry-after': '1' };

/** Whether a target is one of a row's upstream path. */
function matcherOf({ surface, httpMethod, upstream }: Route) {
  const inValue = upstream.slashed?.length ? '.+' : '[^/]+';
  const text = upstream.path.split(/\{\w+\}/).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const path = new RegExp(`^/${surface}${text.join(inValue)}$`);
  return (method: string, target: string): boolean => method === httpMethod && path.test(target);
}

/** Starts an API for each surface, at the path of its name, that answers each row with its example, and that can go and come back. */
export async function startStubApi(rows: () => readonly Route[]) {
  const rowAt = (method: string, url: string): Route | undefined => {
    const [target = ''] = url.split('?', 1);
    const found = rows().filter((row) => matcherOf(row)(method, target));
    // As servers do, plain text before parameters.
    return found.sort((a, b) => a.upstream.path.split('{').length - b.upstream.path.split('{').length)[0];
  };
  const answer = (response: ServerResponse, row: Route | undefined): void => {
    if (stub.status === 'silent') return;
    const code = row ? stub.status : 404;
    if (code === 'half') {
      response.writeHead(SUCCESS, HEADERS).write('{"half":');
      setImmediate(() => response.destroy());
      return;
    }
    response.writeHead(code, HEADERS);
    const isSuccess = SUCCESS <= code && code < 300;
    response.end(code === EMPTY ? '' : (stub.text ?? JSON.stringify(isSuccess ? (row?.result.example ?? null) : {})));
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    stub.arrivals.push({ method, target: url.replace(/^\/[^/]+/, ''), headers, body: await text(request) });
    if (stub.delayMs > 0) await sleep(stub.delayMs);
    answer(response, rowAt(method, url));
  });
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stub = {
    url: `http://127.0.0.1:${port}`,
    arrivals: [] as { method: string; target: string; headers: IncomingMessage['headers']; body: string }[],
    /** Answers every request with this status instead, never, or with half an answer. */
    status: SUCCESS as number | 'silent' | 'half',
    /** Answers every request this much later. */
    delayMs: 0,
    /** Answers every request with this text instead. */
    text: undefined as string | undefined,
    /** The last request that arrived: method, target and body. */
    arrived: (): string => {
      const { method, target, body } = stub.arrivals.at(-1) ?? {};
      return `${method} ${target} ${body}`.trim();
    },
    /** Runs an action, and returns the requests that arrive meanwhile. */
    during: async (action: () => Promise<unknown>) => {
      const before = stub.arrivals.length;
      await action();
      return stub.arrivals.slice(before);
    },
    start: () => listen(port),
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  endsAfterTests(stub.stop);
  return stub;
}

/** One API of a file, without its URL; default: of the document with its name, under that title, for 10,000 requests a minute. */
export type ApiEntry = Readonly<Record<string, unknown>>;

/** Starts a gateway that serves these APIs, of one stub, beside ours, and answers with their rows too; it stops after the tests. */
export async function serveApis(apis: Readonly<Record<string, ApiEntry>>, variables: Environment = {}) {
  const rows: Route[] = [];
  const stub = await startStubApi(() => rows);
  const entries = Object.entries(apis).map(([name, entry]) => {
    const usual = { title: name, openapi: documentPath(`${name}.yaml`), requestsPerMinute: 10_000 };
    return [name, { ...usual, url: `${stub.url}/${name}`, ...entry }];
  });
  const file = writeDocument({ apis: Object.fromEntries(entries) });
  rows.push(...readApisFile(file).apis.flatMap((api) => api.rows));
  const gateway = await startTestGateway({ APIS_FILE: file, TEST_API_KEY: KEY, ...variables }, { paid: true });
  return { gateway, stub, rows: rows as readonly Route[] };
}

const key = { bearer: true, env: 'TEST_API_KEY' };
/** One free operation and one paid. */
export const WEATHER = { getForecast: {}, getHistory: { access: 'exact', price: '0.002' } };

/** A gateway with an API of which one operation is free and one paid, and with an API of notes. */
export const serveWeatherAndNotes = (notes: ApiEntry = {}, variables: Environment = {}) =>
  serveApis(
    {
      weather: { key, title: 'Weather of the world', operations: WEATHER },
      notes: { key, title: 'Notes', operations: { 'list-notes': {}, 'update-note': {} }, ...notes },
    },
    variables,
  );
