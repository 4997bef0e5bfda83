const STORED = 'metrics-token';

/** The store of the tab, where the browser has one. */
export function stored(): string {
  try {
    return sessionStorage.getItem(STORED) ?? '';
  } catch {
    return '';
  }
}

export function keep(token: string): void {
  try {
    if (token === '') sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, token);
  } catch {
    // It is kept in memory all the same.
  }
}

/** Asks for the token that tells of money. */
export function TokenForm({ onToken }: { readonly onToken: (token: string) => void }) {
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const token = String(given.get('token')).trim();
        keep(given.has('keep') ? token : '');
        onToken(token);
      }}
    >
      <label for="token">METRICS_TOKEN</label>
      <input id="token" name="token" type="password" autocomplete="off" required />
      <button type="submit">Show sales</button>
      <label class="check">
        <input name="keep" type="checkbox" /> Keep it until this tab is closed
      </label>
    </form>
  );
}
