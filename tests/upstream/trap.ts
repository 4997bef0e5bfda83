import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { endsAfterTests } from '../kit/ends.ts';

/** Writes an answer to one request, which is the nth of its connection. */
export type Reply = (socket: Socket, nth: number) => void;

/** Starts a raw TCP server that records requests and answers with any bytes. It stops after the tests of the file. */
export async function startTrap(reply: Reply) {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const asked = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    let requests = 0;
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      asked.delete(socket);
    });
    socket.on('data', (bytes) => {
      asked.add(socket);
      heard.push(bytes.toString('latin1'));
      reply(socket, ++requests);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The head of each request, in the order in which they came. */
    heard,
    /** Connections so far. */
    connections: () => connections,
    /** Open connections that sent a request. */
    asked: () => asked.size,
    stop: endsAfterTests(async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    }),
  };
}

/** A plain answer: the status line, these headers, this body. */
export function plainAnswer(status: string, headers: readonly string[], body = ''): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
