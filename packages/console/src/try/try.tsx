import type { TokensSearchResult } from '@asset-gateway/client';
import { useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { hrefOf, type Place } from '../router.ts';
import type { Session } from '../session.ts';

interface TryProps {
  readonly session: Session;
  readonly place: Place;
}

/** Search, an asset, and beside it how the call was signed. */
export function Try({ session }: TryProps) {
  const [query, setQuery] = useState('sol');
  return (
    <>
      <h1>Market data for a signature</h1>
      <search>
        <form onSubmit={(event) => event.preventDefault()}>
          <label for="query">Search assets</label>
          <input
            id="query"
            type="search"
            value={query}
            autocomplete="off"
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          />
        </form>
      </search>
      <Results session={session} query={query.trim()} />
    </>
  );
}

function Results({ session, query }: { readonly session: Session; readonly query: string }) {
  const found = useAnswer(
    async (signal): Promise<TokensSearchResult | undefined> =>
      query === '' ? undefined : session.client.with({ signal }).tokens.search({ q: query }),
    [query],
  );
  if (found.is === 'failed') return <Failure error={found.error} />;
  return (
    <ul class="results" aria-busy={found.is === 'waiting'}>
      {(found.is === 'here' ? (found.value?.results ?? []) : []).map(({ assetId, name, symbol }) => (
        <li key={assetId}>
          <a href={hrefOf('try', assetId)}>
            {name ?? assetId} {symbol && <span class="muted">{symbol}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}
