#!/usr/bin/env node
import { processEnvironment, type RunningGateway, readConfig, run, startGateway } from '@asset-gateway/gateway';
import { type SandboxShop, startSandboxShop } from './shop.ts';
import { startTokensApi, type TokensApi } from './tokens/api.ts';

const SANDBOX_KEY = 'sandbox-key-0123456789';
/** Any of these says that the operator sells by himself. */
const PAID = /^(?:ALCHEMY|HELIUS|FACILITATOR|SOLANA)_|^(?:PAY_TO_WALLET|FEE_PAYER_KEYPAIR)$/;

/** What of the world is invented. */
interface World {
  readonly tokens: TokensApi | undefined;
  readonly shop: SandboxShop | undefined;
}

function banner({ url }: RunningGateway, { tokens, shop }: World): string {
  const shown = url.replace('127.0.0.1', 'localhost');
  return `
  Asset gateway listening on ${shown}

  sign-in, payments, budget   real
  Tokens API                  ${tokens ? 'SANDBOX: an invented market, offline; set TOKENS_API_KEY for the real one' : 'real'}
  Solana, RPC, DAS, wallets   ${shop ? 'SANDBOX: a real SVM with play money, offline; see docs/configuration.md' : 'real'}

  Try next, in another terminal:

    npm run ask -- assets/solana
${shop ? `    npm run ask -- --pay solana/mainnet/helius/rpc/getBalance '{"params":["${shop.payTo}"]}'\n` : ''}
`;
}

await run(async () => {
  const environment = processEnvironment();
  const port = Number(environment.PORT ?? 8402);
  const sellsAlone = Object.entries(environment).some(([name, value]) => PAID.test(name) && value?.trim());
  const tokens = environment.TOKENS_API_KEY?.trim() ? undefined : await startTokensApi({ key: SANDBOX_KEY });
  const shop = sellsAlone
    ? undefined
    : await startSandboxShop({ key: SANDBOX_KEY, ...(port > 0 && { port: port + 1 }) });
  const gateway = await startGateway(
    readConfig({
      ...environment,
      ...(tokens && { TOKENS_API_BASE_URL: tokens.url, TOKENS_API_KEY: tokens.key }),
      ...shop?.variables,
    }),
  );
  process.stdout.write(banner(gateway, { tokens, shop }));
  return {
    log: gateway.log,
    async stop() {
      await gateway.stop();
      await Promise.all([tokens?.close(), shop?.close()]);
    },
  };
});
