import { GatewayError } from '@asset-gateway/client';

/** What went wrong, in the gateway's own words, and its code for whoever looks it up. */
export function Failure({ error }: { readonly error: unknown }) {
  const isKnown = error instanceof GatewayError;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="failure" role="alert">
      <p>{message}</p>
      {isKnown && (
        <p class="small">
          <code>{error.code}</code>
          {error.requestId && (
            <>
              {' '}
              request <code>{error.requestId}</code>
            </>
          )}
        </p>
      )}
    </div>
  );
}
