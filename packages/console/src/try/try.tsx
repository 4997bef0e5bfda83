import { useState } from 'preact/hooks';
import type { Place } from '../router.ts';
import type { Session } from '../session.ts';
import { Asset } from './asset.tsx';
import { type LastCall, LastCallPanel } from './last-call-panel.tsx';
import { Search } from './search.tsx';
import './try.css';

interface TryProps {
  readonly session: Session;
  /**
   * `#/try`, `#/try//<search>`, `#/try/<assetId>`, `#/try/<assetId>/<range>` or
   * `#/try/<assetId>/<range>/<interval>`, each with `?chart=line` for a line.
   */
  readonly place: Place;
}

/** The search or an asset, with the exchange of the last call. */
export function Try({ session, place }: TryProps) {
  const [lastCall, setLastCall] = useState<LastCall>();
  const [assetId = '', second = ''] = place.rest;
  return (
    <div class="try">
      <div>
        {assetId === '' ? (
          <>
            <h1>Market data for a signature</h1>
            <p class="lead">
              No account, no API key: a key in this browser signs each call. Asset data is free; all users share the
              calls of a minute.
            </p>
            <Search session={session} query={second} report={setLastCall} />
          </>
        ) : (
          <Asset session={session} assetId={assetId} place={place} report={setLastCall} />
        )}
      </div>
      <LastCallPanel lastCall={lastCall} />
    </div>
  );
}
