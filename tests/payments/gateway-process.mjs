// Runs a gateway that the environment configures. It kills itself after the step that a line on its standard input names.
import { processEnvironment, readConfig, run, startGateway } from '../../packages/gateway/bin/index.js';

await run(async () => {
  let last;
  process.stdin.on('data', (line) => {
    last = String(line);
    process.stdout.write('told\n');
  });
  const gateway = await startGateway(readConfig(processEnvironment()), {
    onStep: (step) => {
      if (step === last) process.kill(process.pid, 'SIGKILL');
    },
  });
  process.stdout.write(`listening ${gateway.url}\n`);
  return gateway;
});
