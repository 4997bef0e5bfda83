// Runs a gateway that the environment configures. argv[2], if given: the window of its budgets in milliseconds. A line on standard input
// names a step of a purchase, after which the gateway kills itself.

import { processEnvironment, readConfig, runService, startGateway } from '../../packages/gateway/bin/index.js';
import { becomeUser } from './user.mjs';

const [, , windowMs] = process.argv;
becomeUser();

await runService(async () => {
  let last;
  process.stdin.on('data', (line) => {
    last = String(line);
    process.stdout.write('told\n');
  });
  process.stdin.unref?.();
  const gateway = await startGateway(readConfig(processEnvironment()), {
    ...(windowMs !== undefined && { windowMs: Number(windowMs) }),
    onStep: (taken) => {
      if (taken === last) process.kill(process.pid, 'SIGKILL');
    },
  });
  process.stdout.write(`listening ${gateway.url}\n`);
  return gateway;
});
