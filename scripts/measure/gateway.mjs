// The gateway. With WINDOW_MS its windows are so short that a budget on disk suffices for all measured requests. With COUNTED=on it
// answers each message with the calls of our functions since the last one.
import { Session } from 'node:inspector/promises';
import { readConfig, startGateway } from '../../packages/gateway/dist/index.js';

const OURS = /\/packages\/(?:gateway|protocol)\/dist\//;
const { COUNTED, WINDOW_MS } = process.env;

async function startCounting() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('message', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const functions = result
      .filter(({ url }) => OURS.test(url))
      .flatMap(({ url, functions }) =>
        functions.map(({ functionName: name, ranges: [{ count }] }) => ({ url, name, count })),
      );
    process.send(functions.filter(({ count }) => count > 0));
  });
}

if (COUNTED === 'on') await startCounting();
const { address } = await startGateway(readConfig(process.env), WINDOW_MS ? { windowMs: Number(WINDOW_MS) } : {});
process.stdout.write(`listening on http://${address}\n`);
