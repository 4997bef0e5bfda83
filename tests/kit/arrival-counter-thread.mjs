// Notes when requests come, in a thread that does nothing else, and passes all bytes on to a port of 127.0.0.1.
import { connect, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const BEAT_MS = 2;
/** When this thread had time: a connection is taken in one turn of its loop and read in the next. */
const turns = Array.from({ length: 3 }, () => performance.now());
setInterval(() => {
  turns.push(performance.now());
  turns.shift();
}, BEAT_MS);

const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ port: workerData, host: '127.0.0.1', noDelay: true });
  near.on('data', (bytes) => {
    const target = /^(?:GET|POST) (\S+) HTTP\/1\.1\r\n/.exec(bytes.toString('latin1'))?.[1];
    if (target) parentPort.postMessage({ target, since: turns[0], at: performance.now() });
  });
  near.pipe(far).pipe(near);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', () => undefined).on('close', () => other.destroy());
  }
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }));
parentPort.on('message', (ping) => parentPort.postMessage({ ping }));
