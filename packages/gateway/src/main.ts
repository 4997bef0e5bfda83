#!/usr/bin/env node
import { processEnvironment, readConfig } from './config/config.ts';
import { runCommand, runService } from './run.ts';
import { version } from './version.ts';

const USAGE = `Usage: asset-gateway
       asset-gateway check <file>
       asset-gateway doctor <url>
       asset-gateway sales
       asset-gateway --version
  Without a command it starts the gateway; environment variables configure it: docs/configuration.md.
  check       prints what a file of your own APIs serves; asset-gateway check --help
  doctor      checks any gateway from outside and says what to fix; asset-gateway doctor --help
  sales       reports sales and compares the books with the chain; asset-gateway sales --help
  --version   prints the version
`;

const [command, ...words] = process.argv.slice(2);
if (command === 'doctor') {
  const { doctor } = await import('@asset-gateway/doctor');
  process.exitCode = await doctor(words, process);
} else if (command === 'check') {
  const { check } = await import('./config/apis-file/check.ts');
  process.exitCode = check(words, process, processEnvironment());
} else if (command === 'sales') {
  const { sales } = await import('./sales/command.ts');
  await runCommand(() =>
    sales(words, process, async (toRepair) => {
      const config = readConfig(processEnvironment());
      const { openArchive } = await import('./compose/sales.ts');
      return openArchive(config, toRepair);
    }),
  );
} else if (command === '--help' || command === '-h') {
  process.stdout.write(USAGE);
} else if (command === '--version') {
  process.stdout.write(`${version()}\n`);
} else if (command !== undefined) {
  process.stderr.write(`asset-gateway: there is no command ${JSON.stringify(command)}.\n${USAGE}`);
  process.exitCode = 2;
} else {
  await runService(async () => {
    // Report configuration faults before loading anything large.
    const config = readConfig(processEnvironment());
    const [{ startGateway }, { announce }] = await Promise.all([import('./start.ts'), import('./start-screen.ts')]);
    const gateway = await startGateway(config);
    announce(gateway, config);
    return gateway;
  });
}
