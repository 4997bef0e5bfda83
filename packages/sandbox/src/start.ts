#!/usr/bin/env node
import { type Environment, processEnvironment, readConfig, run, startGateway } from '@asset-gateway/gateway';
import { banner } from './banner.ts';
import { chainFault, chainPort } from './chain-ports.ts';
import { faucetOf } from './faucet-route.ts';
import { startSolanaSandbox } from './solana-sandbox.ts';
import { startTokensApi } from './tokens/api.ts';
import { explain } from './usage.ts';

const SANDBOX_KEY = 'sandbox-key-0123456789';
/** Any of these says that the operator sells by himself. */
const PAID = /^(?:ALCHEMY|HELIUS|FACILITATOR|SOLANA)_|^(?:PAY_TO_WALLET|FEE_PAYER_KEYPAIR)$/;

/** Credit is for sale unless the operator has said something about it, or about the memos that it needs. */
const sellsCredit = ({ CREDIT, PAYMENT_MEMO }: Environment): boolean => !CREDIT?.trim() && !PAYMENT_MEMO?.trim();

async function startWorld(): ReturnType<Parameters<typeof run>[0]> {
  const environment = processEnvironment();
  const sellsAlone = Object.entries(environment).some(([name, value]) => PAID.test(name) && value?.trim());
  const port = sellsAlone ? undefined : chainPort(environment);
  const tokens = environment.TOKENS_API_KEY?.trim() ? undefined : await startTokensApi({ key: SANDBOX_KEY });
  const solana = sellsAlone
    ? undefined
    : await startSolanaSandbox({ key: SANDBOX_KEY, ...(port !== undefined && { port }) }).catch((error) => {
        throw chainFault(error);
      });
  const gateway = await startGateway(
    readConfig({
      ...environment,
      ...(solana && sellsCredit(environment) && { CREDIT: 'on' }),
      ...(tokens && { TOKENS_API_BASE_URL: tokens.url, TOKENS_API_KEY: tokens.key }),
      ...solana?.variables,
    }),
    solana ? { ownRoutes: [faucetOf(solana)] } : {},
  );
  process.stdout.write(banner(gateway.url, { tokens, solana }));
  return {
    log: gateway.log,
    async stop() {
      await gateway.stop();
      await Promise.all([tokens?.close(), solana?.close()]);
    },
  };
}

const [word] = process.argv.slice(2);
if (word === undefined) await run(startWorld);
else process.exitCode = explain(word, process);
