import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { endsAfterTests } from './ends.ts';

/** Starts an HTTP proxy that tunnels to ports of this machine, by the requested name. Closes it after the file's tests. */
export async function startConnectProxy(portOf: (name: string) => number | undefined) {
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(501).end());
  const proxy = {
    /** Each requested tunnel, and the header that authorises it. */
    tunnels: [] as { readonly target: string; readonly authorization: string | undefined }[],
    /** The status that answers a tunnel; 200 opens it. */
    status: 200,
    port: 0,
  };
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', ({ url = '', headers }, near: Socket) => {
    const { status } = proxy;
    const port = portOf(url.slice(0, url.lastIndexOf(':')));
    proxy.tunnels.push({ target: url, authorization: headers['proxy-authorization'] });
    near.on('error', () => undefined);
    if (status !== 200 || port === undefined) return near.end(`HTTP/1.1 ${status === 200 ? 404 : status} No\r\n\r\n`);
    const far = connect(port, '127.0.0.1', () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
    far.on('error', () => near.destroy());
    sockets.add(far);
    return near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  endsAfterTests(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}
