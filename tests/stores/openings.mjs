// Starts a gateway on each folder that a line of its standard input names, one after the other in this process. Writes one line
// for each: its faults, or the status of `/healthz`.
import { createInterface } from 'node:readline';
import { readConfig, startGateway } from '../../packages/gateway/bin/index.js';
import { becomeUser } from '../kit/user.mjs';

becomeUser();

const silent = { write: () => true };

async function open(DATA_DIR) {
  const config = readConfig({ PORT: '0', DATA_DIR, TOKENS_API_KEY: 'key-of-the-upstream' });
  let gateway;
  try {
    gateway = await startGateway(config, { graceMs: 0, logTo: silent });
  } catch (error) {
    return { faults: error.faults ?? [String(error.stack)] };
  }
  const { status } = await fetch(`${gateway.url}/healthz`);
  await gateway.stop();
  return { status };
}

for await (const folder of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await open(folder))}\n`);
}
