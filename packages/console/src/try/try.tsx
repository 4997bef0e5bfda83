import { useState } from 'preact/hooks';
import type { Place } from '../router.ts';
import type { Session } from '../session.ts';
import { Asset } from './asset.tsx';
import { Beside } from './beside.tsx';
import type { LastCall } from './last-call.ts';
import { Search } from './search.tsx';
import './try.css';

interface TryProps {
  readonly session: Session;
  /** `#/try`, `#/try//<search>`, `#/try/<assetId>` or `#/try/<assetId>/<interval>`. */
  readonly place: Place;
}

/** Search, an asset, and beside it how the call was signed. */
export function Try({ session, place: { rest } }: TryProps) {
  const [lastCall, tell] = useState<LastCall>();
  const [assetId = '', second = ''] = rest;
  return (
    <div class="try">
      <div>
        {assetId === '' ? (
          <>
            <h1>Market data for a signature</h1>
            <p class="lead">
              No account and no API key: a key that was made in this tab signs each call. Asset data costs nothing; all
              callers share a number of calls a minute.
            </p>
            <Search session={session} query={second} tell={tell} />
          </>
        ) : (
          <Asset session={session} assetId={assetId} wanted={second} tell={tell} />
        )}
      </div>
      <Beside lastCall={lastCall} />
    </div>
  );
}
