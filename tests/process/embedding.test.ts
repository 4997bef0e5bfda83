import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { compileGateway } from './program.ts';

const EMBEDDER = `
  await import('@asset-gateway/gateway');
  const headers = { 'content-type': 'application/json', 'content-length': '2' };
  const response = await fetch(process.argv[1], { method: 'POST', headers, body: '{}' });
  process.stdout.write(await response.text());
`;

it('a program that embeds the gateway keeps the fetch of Node', async () => {
  await compileGateway();
  const server = createServer((request, response) => request.resume().on('end', () => response.end('heard')));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const embedder = promisify(execFile)(process.execPath, ['--input-type=module', '-e', EMBEDDER, url]);
  expect((await embedder).stdout).toBe('heard');
  server.close();
});
