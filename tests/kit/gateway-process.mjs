// Runs a gateway that the environment configures. argv[2], if given: the span of its budgets in ms. It kills itself after the
// step of a purchase that a line on its standard input names.

import { processEnvironment, readConfig, run, startGateway } from '../../packages/gateway/bin/index.js';
import { becomeUser } from './user.mjs';

const [, , windowMs] = process.argv;
becomeUser();

await run(async () => {
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
