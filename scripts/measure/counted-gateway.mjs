// A gateway that reports the calls of our functions since the last message: [script and offset, number of calls].
import { Session } from 'node:inspector/promises';
import { readConfig, startGateway } from '../../packages/gateway/dist/index.js';

const OURS = /\/packages\/(?:gateway|protocol)\/dist\//;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

async function calls() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => OURS.test(url))
    .flatMap(({ url, functions }) =>
      functions.map(({ functionName: name, ranges: [{ startOffset, count }] }) => ({ url, name, startOffset, count })),
    )
    .filter(({ count }) => count > 0);
}

const { url } = await startGateway(readConfig(process.env));
process.on('message', async () => process.send(await calls()));
process.stdout.write(`listening on ${url}\n`);
