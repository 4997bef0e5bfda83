// An API that answers only requests with its key, for the gateway to serve.
import { createServer } from 'node:http';

const { port, origin } = new URL('http://localhost:8420');

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, origin);
  const isKnown = request.headers['x-api-key'] === 'weather-key-0123456789';
  const days = Number(searchParams.get('days') ?? 1);
  response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(isKnown ? { city: decodeURIComponent(pathname.split('/').at(-1)), days } : {}));
}).listen(port, () => console.log(`The weather is at ${origin}`));
