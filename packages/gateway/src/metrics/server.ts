import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BEARER, whyNotTold } from './access.ts';
import { Metrics } from './metrics.ts';

const PATH = '/metrics';
const SALES_PATH = '/sales';

/** Metrics that are kept, and where they are given out. */
export interface ServedMetrics {
  readonly metrics: Metrics;
  readonly url: string;
  close(): Promise<void>;
}

/** Where to listen, and what whoever asks for sales must know. */
interface Place {
  readonly port: number;
  readonly host: string;
  readonly token?: string | undefined;
}

/** What was sold, as JSON, for a query: nothing where that is not understood. Rejects when the store is down. */
export type SalesAnswer = (query: URLSearchParams) => Promise<string | undefined>;

interface Answering {
  readonly metrics: Metrics;
  readonly sales: SalesAnswer;
  readonly token: string | undefined;
}

async function answerSales(request: IncomingMessage, response: ServerResponse, { sales, token }: Answering) {
  const refusal = whyNotTold(request, token);
  if (refusal) return void response.writeHead(refusal, refusal === 401 ? BEARER : {}).end();
  const [, query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const json = await sales(new URLSearchParams(query)).catch(() => null);
  if (typeof json !== 'string') return void response.writeHead(json === null ? 503 : 400).end();
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(json);
}

async function answer(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  const { metrics } = answering;
  const path = request.url?.split('?', 1)[0];
  const isKnown = path === PATH || path === SALES_PATH;
  if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.writeHead(isKnown ? 405 : 404).end();
    return;
  }
  if (path === SALES_PATH) return answerSales(request, response, answering);
  const text = await metrics.text();
  response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
}

/** Keeps metrics and serves them as `/metrics`, and sales as `/sales`, on a port of their own. Rejects when it cannot listen there. */
export async function serveMetrics({ port, host, token }: Place, sales: SalesAnswer): Promise<ServedMetrics> {
  const metrics = new Metrics();
  const server = createServer((request, response) => {
    answer(request, response, { metrics, sales, token }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    metrics,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        metrics.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
