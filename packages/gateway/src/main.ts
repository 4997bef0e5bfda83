#!/usr/bin/env node
import { processEnvironment, readConfig } from './config/config.ts';
import { run } from './run.ts';
import { startGateway } from './start.ts';

const [command, ...words] = process.argv.slice(2);
if (command === 'doctor') {
  const { doctor } = await import('./doctor/command.ts');
  process.exitCode = await doctor(words, process);
} else {
  await run(async () => {
    const gateway = await startGateway(readConfig(processEnvironment()));
    if (gateway.metricsUrl !== undefined) gateway.log.notice(`metrics on ${gateway.metricsUrl}`);
    gateway.log.notice(`listening on ${gateway.url}`);
    return gateway;
  });
}
