import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { freePort } from '../http/ports.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway, startSellingGateway } from './test-gateway.ts';

/**
 * A gateway with its chains on the two ports after its own, where the command line looks for them. Another program may take one of these
 * ports meanwhile. The caller closes the chains.
 */
export async function startGatewayRow(
  variables: Readonly<Record<string, string>> | ((port: number) => Readonly<Record<string, string>>),
  attempts = 5,
): Promise<SellingGateway> {
  const port = await freePort();
  const given = typeof variables === 'function' ? variables(port) : variables;
  let solana: SolanaSandbox | undefined;
  try {
    solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY, port: port + 1 });
    return await startSellingGateway({ ...given, PORT: String(port) }, { solana });
  } catch (error) {
    await solana?.close();
    if (attempts === 0) throw error;
    return startGatewayRow(variables, attempts - 1);
  }
}
