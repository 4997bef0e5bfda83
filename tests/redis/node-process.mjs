// A gateway in a process of its own, configured by the environment. Its budgets count in a span of argv[2] ms, and it kills
// itself after the step argv[3] of a purchase.
import { processEnvironment, readConfig, run, startGateway } from '../../packages/gateway/bin/index.js';

const [, , windowMs, last] = process.argv;

await run(async () => {
  const gateway = await startGateway(readConfig(processEnvironment()), {
    windowMs: Number(windowMs),
    onStep: (step) => {
      if (step === last) process.kill(process.pid, 'SIGKILL');
    },
  });
  process.stdout.write(`listening ${gateway.url}\n`);
  return gateway;
});
