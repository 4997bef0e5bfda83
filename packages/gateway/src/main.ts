#!/usr/bin/env node
import { processEnvironment, readConfig } from './config/config.ts';
import { finish, run } from './run.ts';
import { explain } from './usage.ts';

const [command, ...words] = process.argv.slice(2);
if (command === 'doctor') {
  const { doctor } = await import('@asset-gateway/doctor');
  process.exitCode = await doctor(words, process);
} else if (command === 'sales') {
  const { sales } = await import('./sales/command.ts');
  await finish(() =>
    sales(words, process, async (toRepair) => {
      const config = readConfig(processEnvironment());
      const { openArchive } = await import('./compose/sales.ts');
      return openArchive(config, toRepair);
    }),
  );
} else if (command !== undefined) {
  process.exitCode = explain(command, process);
} else {
  await run(async () => {
    // A configuration with faults says so before anything large is loaded.
    const config = readConfig(processEnvironment());
    const { startGateway } = await import('./start.ts');
    const gateway = await startGateway(config);
    if (gateway.metricsUrl !== undefined) gateway.log.notice(`metrics on ${gateway.metricsUrl}`);
    gateway.log.notice(`listening on ${gateway.url}`);
    return gateway;
  });
}
