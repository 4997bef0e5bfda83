import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSolanaSandbox } from '../../../packages/sandbox/dist/solana-sandbox.js';
import { startTokensApi } from '../../../packages/sandbox/dist/tokens/api.js';
import { openApi } from './api.mjs';

const GATEWAY = fileURLToPath(new URL('../gateway.mjs', import.meta.url));
const UNBOUNDED = '1000000';

/** A gateway in its own process, in front of a sandbox in this one, with all rows enabled and unlimited budgets. */
export async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-worst-'));
  const tokens = await startTokensApi({ key: 'a-key-of-the-upstream' });
  const solana = await startSolanaSandbox({ key: 'a-key-of-the-providers' });
  const api = await openApi(folder);
  const child = fork(GATEWAY, {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: folder,
      TOKENS_API_BASE_URL: tokens.url,
      TOKENS_API_KEY: tokens.key,
      TOKENS_RATE_LIMIT_PER_MINUTE: UNBOUNDED,
      RPC_RATE_LIMIT_PER_SECOND: UNBOUNDED,
      DAS_RATE_LIMIT_PER_SECOND: UNBOUNDED,
      WALLET_RATE_LIMIT_PER_SECOND: UNBOUNDED,
      FEE_BUDGET_LAMPORTS_PER_HOUR: '1000000000',
      APIS_FILE: api.file,
      CREDIT: 'on',
      RECEIPTS: 'on',
      // The sender counts as a proxy, so that X-Forwarded-For is read.
      TRUST_PROXY: '127.0.0.0/8',
      ...solana.variables,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ url }] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [{}])]);
  if (!url) throw new Error('the gateway does not start');
  return {
    url,
    port: Number(new URL(url).port),
    solana,
    /** The rows of the API, beside ours. */
    apiRows: api.rows,
    /** CPU time of the gateway's process, in microseconds. */
    async cpuMicros() {
      child.send('cpu');
      const [{ cpu }] = await once(child, 'message');
      return cpu.user + cpu.system;
    },
    async close() {
      if (child.exitCode === null) {
        child.disconnect();
        await once(child, 'exit');
      }
      await Promise.all([tokens.close(), solana.close(), api.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
