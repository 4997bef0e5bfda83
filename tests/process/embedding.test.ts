import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startStrangeGateway } from '../kit/strange-gateway.ts';
import { compileGateway } from './program.ts';

const EMBEDDER = `
  await import('@asset-gateway/gateway');
  const headers = { 'content-type': 'application/json', 'content-length': '2' };
  const response = await fetch(process.argv[1], { method: 'POST', headers, body: '{}' });
  process.stdout.write(await response.text());
`;

it('a program that embeds the gateway keeps the fetch of Node', async () => {
  await compileGateway();
  const { url, answer, stop } = await startStrangeGateway();
  answer((_, response) => response.end('heard'));
  const embedder = promisify(execFile)(process.execPath, ['--input-type=module', '-e', EMBEDDER, url]);
  expect((await embedder).stdout).toBe('heard');
  await stop();
});
