// A gateway in a process of its own, configured by the environment, whose budgets count in a span of argv[2] ms.
import { processEnvironment, readConfig, run, startGateway } from '../../packages/gateway/bin/index.js';

await run(async () => {
  const gateway = await startGateway(readConfig(processEnvironment()), { windowMs: Number(process.argv[2]) });
  process.stdout.write(`listening ${gateway.url}\n`);
  return gateway;
});
