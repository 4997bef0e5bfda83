import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSolanaSandbox } from '../../../packages/sandbox/dist/solana-sandbox.js';
import { startTokensApi } from '../../../packages/sandbox/dist/tokens/api.js';

const UNBOUNDED = '1000000';

/** A folder, and a sandbox in this process, with the variables of a gateway in front of it. */
export async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
  const tokens = await startTokensApi({ key: 'a-key-of-the-upstream' });
  const solana = await startSolanaSandbox({ key: 'a-key-of-the-providers' });
  return {
    folder,
    solana,
    variables: {
      ...solana.variables,
      DATA_DIR: folder,
      TOKENS_API_BASE_URL: tokens.url,
      TOKENS_API_KEY: tokens.key,
      RPC_RATE_LIMIT_PER_SECOND: UNBOUNDED,
      DAS_RATE_LIMIT_PER_SECOND: UNBOUNDED,
      WALLET_RATE_LIMIT_PER_SECOND: UNBOUNDED,
      CREDIT: 'on',
    },
    async close() {
      await Promise.all([tokens.close(), solana.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
