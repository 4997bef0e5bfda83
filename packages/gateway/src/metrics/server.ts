import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metrics } from './metrics.ts';

const PATH = '/metrics';

/** Metrics that are kept, and where they are given out. */
export interface ServedMetrics {
  readonly metrics: Metrics;
  readonly url: string;
  close(): Promise<void>;
}

/** Where to listen. */
interface Place {
  readonly port: number;
  readonly host: string;
}

async function answer({ method, url }: IncomingMessage, response: ServerResponse, metrics: Metrics): Promise<void> {
  const isKnown = url?.split('?', 1)[0] === PATH;
  if (!isKnown || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(isKnown ? 405 : 404).end();
    return;
  }
  const text = await metrics.text();
  response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
}

/** Keeps metrics and serves them as `/metrics` on a port of their own. Rejects when it cannot listen there. */
export async function serveMetrics({ port, host }: Place): Promise<ServedMetrics> {
  const metrics = new Metrics();
  const server = createServer((request, response) => {
    answer(request, response, metrics).catch(() => response.destroy());
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
