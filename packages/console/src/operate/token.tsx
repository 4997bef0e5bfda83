import { attempt } from '@asset-gateway/protocol';

const STORED = 'metrics-token';
/** Matches a text that a header may contain. */
const SENDABLE = /^[\x20-\x7e]*$/;

/** Returns the header with a token; undefined if no header can hold it. */
export function authorizationOf(token: string): HeadersInit | undefined {
  if (!SENDABLE.test(token)) return undefined;
  return token === '' ? {} : { Authorization: `Bearer ${token}` };
}

/** Returns the token in the tab's session storage, if there is one. */
export const storedToken = (): string => attempt(() => sessionStorage.getItem(STORED) ?? '', '');

/** Stores the token. If the browser stores nothing, the token stays in memory. */
export const storeToken = (token: string): void =>
  attempt(() => (token === '' ? sessionStorage.removeItem(STORED) : sessionStorage.setItem(STORED, token)), undefined);

/** Asks for the token that `/sales` needs. */
export const TokenForm = ({ onToken }: { readonly onToken: (token: string) => void }) => (
  <form
    class="row token"
    onSubmit={(event) => {
      event.preventDefault();
      const given = new FormData(event.currentTarget);
      const token = String(given.get('token')).trim();
      storeToken(given.has('keep') ? token : '');
      onToken(token);
    }}
  >
    <label for="token">METRICS_TOKEN</label>
    <input id="token" name="token" type="password" autocomplete="off" required />
    <button type="submit">Show sales</button>
    <label class="check">
      <input name="keep" type="checkbox" /> Remember it until I close this tab
    </label>
  </form>
);
