#!/usr/bin/env node
import { processEnvironment, readConfig } from './config/config.ts';
import { run } from './run.ts';
import { startGateway } from './start.ts';

await run(async () => {
  const gateway = await startGateway(readConfig(processEnvironment()));
  if (gateway.metricsUrl !== undefined) gateway.log.notice(`metrics on ${gateway.metricsUrl}`);
  gateway.log.notice(`listening on ${gateway.url}`);
  return gateway;
});
