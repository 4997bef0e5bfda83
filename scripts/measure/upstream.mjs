// An upstream that answers immediately, so that only the gateway is measured.
import { createServer } from 'node:http';

const BODY = JSON.stringify({ ok: true });
const HEADERS = { 'content-type': 'application/json', 'content-length': String(BODY.length) };
const server = createServer((request, response) =>
  request.resume().on('end', () => response.writeHead(200, HEADERS).end(BODY)),
);
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
