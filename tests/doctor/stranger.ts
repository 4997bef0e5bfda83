import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A complete catalog entry. */
export const ENTRY = {
  path: '/a',
  httpMethod: 'GET',
  provider: 'stranger',
  surface: 'rpc',
  method: 'a',
  description: 'A route.',
  accessMode: 'exact',
  paymentRequired: true,
  priceUsd: '0.0005',
  inputSchema: {},
  outputSchema: {},
  paymentNetwork: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  paymentAsset: { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkwyTDt1v', decimals: 6 },
};

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A hostile server on 127.0.0.1. */
export interface Stranger {
  readonly url: string;
  /** The requested targets, in order. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

const EMPTY = { '/healthz': '{}', '/openapi.json': '{}', '/.well-known/x402': '{}', '/llms.txt': '' };

/** Starts one with a catalog of these routes. Other documents are empty by default; `other` answers all other requests. */
export async function startStranger(
  routes: readonly unknown[],
  other: Answering,
  documents: Readonly<Record<string, string>> = {},
): Promise<Stranger> {
  const all: Readonly<Record<string, string>> = {
    ...EMPTY,
    '/v1/catalog': JSON.stringify({ catalog: {}, routes }),
    ...documents,
  };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { url = '' } = request;
    asked.push(url);
    const document = all[url];
    if (document === undefined) other(request, response);
    else response.end(document);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
