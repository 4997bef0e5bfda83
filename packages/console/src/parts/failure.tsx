import { GatewayError } from '@asset-gateway/client';
import { nextStepOf } from '@asset-gateway/protocol';
import { connectivity, isUnreachable } from './connectivity.ts';
import { plain } from './text.ts';

const MAX_TEXT = 1000;

/** A sentence with code between backticks. */
export const WithCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** What to do after a refusal, as in docs/errors.md. Errors that are not the gateway's have no request id. */
export const NextStep = ({ error: { code, requestId } }: { readonly error: GatewayError }) =>
  requestId === undefined ? null : (
    <p>
      <b>What to do:</b> {nextStepOf(code)}
    </p>
  );

/**
 * An error: the gateway's message, its issues, what to do next, status, code and request id. If the gateway does not answer, only the
 * banner says so.
 */
export function Failure({ error }: { readonly error: unknown }) {
  const isKnown = error instanceof GatewayError;
  if (isUnreachable(error) || (connectivity.isLost && !isKnown)) return null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="failure" role="alert">
      <p>
        <WithCode text={plain(message, MAX_TEXT)} />
      </p>
      {isKnown && (
        <>
          {error.issues.length > 0 && (
            <ul>
              {error.issues.map((issue, at) => (
                <li key={at}>
                  <code>{issue.name}</code> {issue.message}
                </li>
              ))}
            </ul>
          )}
          <NextStep error={error} />
          <p class="small">
            {error.status} <code>{error.code}</code> {error.requestId && 'request '}
            {error.requestId && <code>{error.requestId}</code>}
          </p>
        </>
      )}
    </div>
  );
}
