import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { readBytes, TooLarge } from '@asset-gateway/protocol';

const MAX_BODY_BYTES = 1_048_576;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const JSON_TYPE = /^application\/json(?:\s*;|$)/i;
const NO_SOCKETS = 'websockets are not served: ask by HTTP, or give subscriptions the URL of another RPC';

/** The clients that may call, and the answers. */
interface ServedRpc {
  /** The URL's path, which other programs on this machine do not know. */
  readonly path: string;
  /** Origins of web pages that may call. */
  readonly origins: readonly string[];
  readonly answerTo: (body: string) => Promise<string>;
}

type Refusal = readonly [status: number, sentence: string];

const hostOf = (host = ''): string => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '');

/** Returns why a request is refused. Checks against web pages first. With DNS rebinding, a page's request names another host. */
function refusalOf(
  { headers, method = '', url = '' }: IncomingMessage,
  { path, origins }: ServedRpc,
): Refusal | undefined {
  const { host, origin } = headers;
  if (!LOOPBACK.includes(hostOf(host))) return [403, 'ask 127.0.0.1 or localhost'];
  if (origin !== undefined && !origins.includes(origin)) {
    return [403, 'web pages may not ask; --origin <origin> allows those of one origin'];
  }
  if (url !== path) return [404, 'this is not the URL that rpc has printed'];
  if (method === 'OPTIONS' && origin !== undefined) return [204, ''];
  if (method !== 'POST') return [405, 'send JSON-RPC by POST'];
  return JSON_TYPE.test(headers['content-type'] ?? '') ? undefined : [415, 'send application/json'];
}

/** Returns the headers that let an allowed origin's page read the answer. */
function corsOf({ headers: { origin } }: IncomingMessage, { origins }: ServedRpc): Record<string, string> {
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type, Solana-Client',
    Vary: 'Origin',
  };
}

/** Returns a request's body as a stream. Node's type of a stream differs from the web's. */
const bodyOf = (message: IncomingMessage) => Readable.toWeb(message) as Parameters<typeof readBytes>[0];

async function answer(message: IncomingMessage, response: ServerResponse, served: ServedRpc): Promise<void> {
  const cors = corsOf(message, served);
  const refuse = ([status, sentence]: Refusal): void => {
    const type = sentence === '' ? {} : { 'Content-Type': 'text/plain; charset=utf-8' };
    response.writeHead(status, { ...cors, ...type, Connection: 'close' }).end(sentence === '' ? '' : `${sentence}\n`);
  };
  const refusal = refusalOf(message, served);
  if (refusal) return refuse(refusal);
  let body: Uint8Array;
  try {
    body = await readBytes(bodyOf(message), MAX_BODY_BYTES);
  } catch (error) {
    if (error instanceof TooLarge) return refuse([413, `a body has at most ${MAX_BODY_BYTES} bytes`]);
    throw error;
  }
  const text = await served.answerTo(new TextDecoder().decode(body));
  if (text === '') response.writeHead(204, cors).end();
  else response.writeHead(200, { ...cors, 'Content-Type': 'application/json' }).end(text);
}

/** Returns an HTTP server of JSON-RPC for programs on this machine. */
export function rpcServer(served: ServedRpc): Server {
  const server = createServer((message, response) => {
    answer(message, response, served).catch(() => response.destroy());
  });
  return server.on('upgrade', (_, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`HTTP/1.1 501 Not Implemented\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${NO_SOCKETS}\n`);
  });
}
