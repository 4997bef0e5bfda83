import { newList } from '../blocked/kit.ts';
import { buyCredit, spend } from '../credit/gateway.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { callOf } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';

/** The METRICS_TOKEN. */
export const TOKEN = 'a-token-of-the-operator';

const blocked = newSigner();
const list = newList(blocked.address, '203.0.113.0/24', '2001:db8::/32');

/** A gateway with every feature on. */
export const startBusyGateway = (): Promise<TestGateway> =>
  startTestGateway(
    {
      ...list.variables,
      METRICS_PORT: '0',
      METRICS_TOKEN: TOKEN,
      RESPONSE_CACHE: 'on',
      FAIR_SHARES: 'on',
      CREDIT: 'on',
      SOL_PRICE_USD: '150',
      TOKENS_RATE_LIMIT_PER_MINUTE: '30',
    },
    { paid: true },
  );

const SEARCH = '/v1/x402/tokens/assets/search?q=';

/** Sends signed, paid, credit and blocked requests; returns their statuses. */
export async function load(gateway: TestGateway): Promise<number[]> {
  const { solana, url } = gateway;
  if (!solana) throw new Error('nothing is sold');
  const selling = { ...gateway, solana };
  const call = callOf('rpc.mainnet.helius.getBalance');
  const [payer, saver] = [await openWallet(solana), await openWallet(solana)];
  const answers: Response[] = [];
  for (const query of ['sol', 'sol', 'jup', 'sol']) answers.push(await askSigned(`${url}${SEARCH}${query}`));
  answers.push(
    await fetch(`${url}${SEARCH}sol`),
    await fetch(`${url}/nothing`),
    await askSigned(`${url}${SEARCH}sol`, {}, blocked),
    await fetch(`${url}${SEARCH}sol`, { headers: { 'X-Forwarded-For': '203.0.113.9' } }),
    await payer.buy(url + call.target, call.init),
    await payer.buy(url + call.target, call.init),
    await buyCredit(selling, saver),
    await spend(selling, call, saver.signIn),
  );
  return answers.map(({ status }) => status);
}
