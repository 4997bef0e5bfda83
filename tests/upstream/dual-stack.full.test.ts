import { spawn } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Pool } from '../../packages/gateway/src/pool.ts';
import { endsAfterTests } from '../kit/ends.ts';

const NEAR = '127.0.0.5';
/** An address of documentation, to which there is no route. */
const NOWHERE = '2001:db8::77';
/** The system sends a lost first packet again after a second. */
const RESUME_MS = 500;

const SERVER = `
  require('node:http').createServer((_, response) => response.end('here'))
    .listen({ host: '${NEAR}', port: 0, backlog: 1 }, function () { process.stdout.write(String(this.address().port)); });
`;

/** A server that loses the first packet of each connection until `resume`: it is stopped, and its queue is full. */
async function startLossyServer() {
  const server = spawn(process.execPath, ['--eval', SERVER]);
  endsAfterTests(async () => void server.kill('SIGKILL'));
  const [port] = await once(server.stdout, 'data');
  server.kill('SIGSTOP');
  await pause(100);
  for (let filler = 0; filler < 4; filler++)
    connect(Number(String(port)), NEAR)
      .on('error', () => undefined)
      .unref();
  await pause(100);
  return { port: Number(String(port)), resume: () => server.kill('SIGCONT') };
}

afterEach(() => vi.restoreAllMocks());

describe('a host with an address of each family', () => {
  it.each([
    ['the slow one first', [NEAR, NOWHERE]],
    ['the one without a route first', [NOWHERE, NEAR]],
  ])('is reached over a link that loses the first packet for a second, %s', async (_, addresses) => {
    const { port, resume } = await startLossyServer();
    const lookup: LookupFunction = (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
    const pool = new Pool(`http://dual.test:${port}`, { connections: 1, connectMs: 10_000 });
    endsAfterTests(() => pool.destroy());
    const asked = pool.request({ method: 'GET', path: '/' }, { deadlineMs: 30_000, maxBytes: 1024 });
    setTimeout(resume, RESUME_MS);
    expect(await asked).toEqual({ status: 200, text: 'here' });
  });
});
