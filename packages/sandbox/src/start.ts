#!/usr/bin/env node
import {
  type Environment,
  processEnvironment,
  type RunningGateway,
  readConfig,
  run,
  startGateway,
} from '@asset-gateway/gateway';
import { startTokensApi, type TokensApi } from './tokens/api.ts';

const SANDBOX_KEY = 'sandbox-key';

/** The variables that point the gateway at the sandbox, for every upstream that the operator gave no key for. */
const sandboxVariables = (world: TokensApi | undefined): Environment =>
  world ? { TOKENS_API_BASE_URL: world.url, TOKENS_API_KEY: world.key } : {};

function banner({ url }: RunningGateway, world: TokensApi | undefined): string {
  const tokens = world
    ? 'SANDBOX: an invented market, offline; set TOKENS_API_KEY to reach the real one'
    : 'real, with your TOKENS_API_KEY';
  return `
  Asset gateway listening on ${url.replace('127.0.0.1', 'localhost')}

  sign-in, budget, routes   real
  Tokens API                ${tokens}

  Try next, in another terminal:   npm run ask -- assets/solana

`;
}

await run(async () => {
  const environment = processEnvironment();
  const world = environment.TOKENS_API_KEY?.trim() ? undefined : await startTokensApi({ key: SANDBOX_KEY });
  const gateway = await startGateway(readConfig({ ...environment, ...sandboxVariables(world) }));
  process.stdout.write(banner(gateway, world));
  return {
    log: gateway.log,
    async stop() {
      await gateway.stop();
      await world?.close();
    },
  };
});
