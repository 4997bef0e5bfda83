import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { testInCi } from '../kit/optional.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';

const HEALTH = '/v1/x402/tokens/health';
/** Under what an upstream may answer, and more than the buffers of a connection take. */
const ANSWER_BYTES = 5 * 1024 * 1024 - 1_000;
const WRITE_TIMEOUT_MS = 30_000;

testInCi(
  'H3 a client that does not read its answer is cut off, and others are served meanwhile',
  {
    timeout: 60_000,
  },
  async () => {
    const gateway = await startTestGateway();
    gateway.upstream.faults.body = JSON.stringify('x'.repeat(ANSWER_BYTES));
    const header = await signedHeader(gateway.url + HEALTH);
    const socket = connect(gateway.port, '127.0.0.1').pause();
    socket.write(`GET ${HEALTH} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nSIGN-IN-WITH-X: ${header}\r\n\r\n`);
    await sleep(1_000);
    gateway.upstream.faults.reset();
    expect(gateway.upstream.arrivals).toHaveLength(1);
    expect((await askSigned(gateway.url + HEALTH)).status).toBe(200);
    await sleep(WRITE_TIMEOUT_MS + 2_000);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    await new Promise((closed) =>
      socket
        .once('close', closed)
        .on('error', () => undefined)
        .resume(),
    );
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(ANSWER_BYTES);
    expect((await askSigned(gateway.url + HEALTH)).status).toBe(200);
    await gateway.stop();
  },
);
