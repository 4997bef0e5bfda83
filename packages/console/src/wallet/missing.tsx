import { GatewayError, type WalletFunds } from '@asset-gateway/client';
import { clusterOfNetwork, dollars } from '@asset-gateway/protocol';
import { useEffect } from 'preact/hooks';
import { useGateway } from '../gateway.ts';
import { Failure } from '../parts/failure.tsx';
import { session } from '../session.ts';
import { Deposit, Faucet } from './deposit.tsx';
import { useBalances } from './use-balance.ts';

const READ_AGAIN_MS = 10_000;

/** The payer's address. Reads its balance every ten seconds while shown. */
function AwaitedDeposit() {
  const { reload } = useBalances();
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), READ_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return <Deposit address={session.wallet.payer} />;
}

/** The USDC that a payment lacks, and how to add it: play money in the sandbox, elsewhere the payer's address. */
function Missing({ network, neededMicros, balanceMicros }: WalletFunds) {
  const { isSandbox } = useGateway() ?? {};
  const { wallet } = session;
  const cluster = clusterOfNetwork(network);
  return (
    <div class="pause missing" role="alert">
      <p>
        <strong>
          {dollars(neededMicros - balanceMicros)} USDC is missing on {cluster}.
        </strong>{' '}
        {wallet.external?.name ?? 'The wallet of this browser'} holds {dollars(balanceMicros)} USDC, and the payment
        needs {dollars(neededMicros)} USDC. Nothing was signed.
      </p>
      {isSandbox && !wallet.external ? (
        <Faucet class="first" clusters={[cluster]} />
      ) : (
        isSandbox !== undefined && <AwaitedDeposit />
      )}
    </div>
  );
}

/** Why a payment was not made. If the wallet holds too little, also how to add USDC. */
export const PaymentFailure = ({ error }: { readonly error: unknown }) =>
  error instanceof GatewayError && error.funds ? <Missing {...error.funds} /> : <Failure error={error} />;
