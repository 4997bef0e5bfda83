import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP balancer: each request goes to the next of its targets, over a connection of its own. */
export interface Balancer {
  readonly url: string;
  /** Ports of 127.0.0.1. */
  readonly targets: number[];
  close(): void;
}

export async function startBalancer(): Promise<Balancer> {
  const targets: number[] = [];
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const port = targets[turn++ % targets.length];
    const { method, url, headers } = incoming;
    const options = { host: '127.0.0.1', port, method, path: url, headers, agent: false };
    const passed = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    targets,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
