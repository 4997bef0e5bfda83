import { GatewayError } from '@asset-gateway/client';
import { plain } from './text.ts';

const MAX_TEXT = 1000;
const UNREACHABLE = 'The gateway does not answer. It may be restarting, or you are offline.';

/** An error with the gateway's message, its issues, its code and the request id. */
export function Failure({ error }: { readonly error: unknown }) {
  const isKnown = error instanceof GatewayError;
  const detail = error instanceof Error ? error.message : String(error);
  const message = isKnown && error.code === 'unreachable' ? UNREACHABLE : detail;
  return (
    <div class="failure" role="alert">
      <p>{plain(message, MAX_TEXT)}</p>
      {isKnown && error.issues.length > 0 && (
        <ul>
          {error.issues.map((issue, at) => (
            <li key={at}>
              <code>{issue.name}</code> {issue.message}
            </li>
          ))}
        </ul>
      )}
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
