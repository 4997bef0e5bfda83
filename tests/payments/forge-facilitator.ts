import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NETWORKS } from '@asset-gateway/protocol';

/** A facilitator that approves everything, and its calls. */
export interface YesMan {
  readonly url: string;
  readonly asked: string[];
  close(): Promise<void>;
}

/** Starts one; default: a free port. */
export async function startYesMan(feePayer: string, port = 0): Promise<YesMan> {
  const asked: string[] = [];
  const kinds = Object.values(NETWORKS).map((network) => ({
    x402Version: 2,
    scheme: 'exact',
    network,
    extra: { feePayer },
  }));
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path !== '/supported') asked.push(path);
    const answer = path === '/supported' ? { kinds } : { isValid: true, success: true, transaction: '' };
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)));
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise((closed) => server.close(() => closed()).closeAllConnections()),
  };
}
