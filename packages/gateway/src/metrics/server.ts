import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from '@asset-gateway/protocol';
import type { Background } from '../background.ts';
import type { ConsoleFiles, FileAnswer } from '../console/files.ts';
import { isLoopbackHost } from '../ip-address.ts';
import { Metrics } from './metrics.ts';
import { Recorder } from './recorder.ts';

/** The challenge of a 401. */
const BEARER = { 'WWW-Authenticate': 'Bearer' };

/** Matches the Host values that DNS rebinding cannot have. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether the Host header is a loopback name or address, which excludes DNS rebinding. */
const namesLoopback = ({ headers }: IncomingMessage): boolean => LOOPBACK_HOST.test(headers.host ?? '');

const isLocal = (request: IncomingMessage): boolean =>
  isLoopbackHost(request.socket.remoteAddress ?? '') && namesLoopback(request);

/**
 * Returns the status that denies access to sales, if any. A wrong token gets 401. Without a configured token, another machine or a foreign
 * Host gets 403.
 */
function salesAccessError(request: IncomingMessage, token: string | undefined): 401 | 403 | undefined {
  if (token === undefined) return isLocal(request) ? undefined : 403;
  const given = hashOf(request.headers.authorization ?? '');
  return timingSafeEqual(given, hashOf(`Bearer ${token}`)) ? undefined : 401;
}

const PATH = '/metrics';
const HISTORY_PATH = '/history';
const SALES_PATH = '/sales';
const CONSOLE_PAGE = 'operate.html';
const CONSOLE_PATH = '/console/';
const OPERATE_PATH = '/operate/';

/** The other resources of the metrics port. */
interface OperatorResources {
  /** The token for sales. */
  readonly token: string | undefined;
  /** Returns sales as JSON; undefined for an invalid query. Rejects while the database is unavailable. */
  readonly sales: (query: URLSearchParams) => Promise<string | undefined>;
  readonly version: string;
  readonly background: Background;
  /** The rows that metrics name. */
  readonly rows: readonly Route[];
  /** Whether requests are traced. If so, scrapers that accept OpenMetrics get exemplars. */
  readonly hasTraces: boolean;
  /** The operator's page, if the console is installed. */
  readonly files: ConsoleFiles | undefined;
}

interface Answering extends OperatorResources {
  readonly metrics: Metrics;
  readonly recorder: Recorder;
  /** Whether only clients on this machine can connect. */
  readonly isOnLoopback: boolean;
}

/** Returns the operator's page at `/` and its assets. They contain no figures, because the page requests them. */
function consoleFile(path: string, { headers }: IncomingMessage, files: ConsoleFiles | undefined) {
  const arrival = { hosts: [], port: 0, headers };
  if (path === '/') return files?.page(CONSOLE_PAGE, arrival);
  if (path.startsWith(OPERATE_PATH)) return files?.operatorPart(path.slice(OPERATE_PATH.length), arrival);
  return path.startsWith(CONSOLE_PATH) ? files?.part(path.slice(CONSOLE_PATH.length), arrival) : undefined;
}

const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

const queryParametersOf = ({ url = '' }: IncomingMessage) => new URLSearchParams(url.split(/\?(.*)/s)[1]);

function answerFile(response: ServerResponse, { headers, body }: FileAnswer): void {
  const ours = { 'X-Content-Type-Options': 'nosniff', 'Content-Length': String(Buffer.byteLength(body)) };
  response.writeHead(200, { ...headers, ...ours }).end(body);
}

async function answerSales(request: IncomingMessage, response: ServerResponse, answering: Answering) {
  const { sales, token, background } = answering;
  const refusal = salesAccessError(request, token);
  if (refusal) return void response.writeHead(refusal, refusal === 401 ? BEARER : {}).end();
  const found = await background.run('metrics', async () => ({ json: await sales(queryParametersOf(request)) }));
  if (found?.json === undefined) return void response.writeHead(found ? 400 : 503).end();
  response.writeHead(200, JSON_HEADERS).end(found.json);
}

/** Answers `/history`. Only clients with access to sales get amounts. A wrong token is refused, so that its owner notices. */
async function answerHistory(request: IncomingMessage, response: ServerResponse, { recorder, token }: Answering) {
  const refusal = salesAccessError(request, token);
  if (refusal === 401 && request.headers.authorization !== undefined) return void response.writeHead(401, BEARER).end();
  response.writeHead(200, JSON_HEADERS).end(await recorder.answer(queryParametersOf(request), refusal === undefined));
}

async function answer(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  const { metrics, files, isOnLoopback } = answering;
  const path = request.url?.split('?', 1)[0] ?? '';
  // Sales need no check of the Host header, because their token already excludes a web page in a local browser.
  if (isOnLoopback && path !== SALES_PATH && !namesLoopback(request)) {
    response.writeHead(403).end();
    return;
  }
  const file = consoleFile(path, request, files);
  const isKnown = [PATH, HISTORY_PATH, SALES_PATH].includes(path) || file !== undefined;
  if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.writeHead(isKnown ? 405 : 404).end();
    return;
  }
  if (file) return answerFile(response, file);
  if (path === SALES_PATH) return answerSales(request, response, answering);
  if (path === HISTORY_PATH) return answerHistory(request, response, answering);
  const { contentType, text } = await metrics.page(request.headers.accept);
  response.writeHead(200, { 'Content-Type': contentType }).end(text);
}

/** Metrics and their server. */
export interface ServedMetrics {
  readonly metrics: Metrics;
  /** The URL of `/metrics`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves `/metrics`, `/history`, `/sales` and the operator's page at `/`, on their own port. Rejects if it cannot listen. */
export async function serveMetrics(host: string, port: number, resources: OperatorResources): Promise<ServedMetrics> {
  const metrics = new Metrics(resources.rows, resources.hasTraces);
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const recorder = new Recorder(metrics, resources.version, resources.background);
  const { port: bound, address } = server.address() as AddressInfo;
  const answering = { ...resources, metrics, recorder, isOnLoopback: isLoopbackHost(address) };
  server.on('request', (request, response) => {
    answer(request, response, answering).catch((error) => {
      resources.background.failed('metrics', error);
      response.destroy();
    });
  });
  return {
    metrics,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${PATH}`,
    close: () =>
      new Promise<void>((resolve) => {
        recorder.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
