import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { useShown } from './hooks.ts';
import { reach } from './reach.ts';

/** One line over every view while the gateway does not answer. After it is back, what failed loads again. */
export function Banner() {
  const isLost = useShown(reach, 'change', () => reach.isLost);
  const [isBusy, setBusy] = useState(false);
  const retry = (): void => {
    setBusy(true);
    void reach.retry().then(() => setBusy(false));
  };
  return (
    // Always rendered, so that screen readers announce it.
    <div role="alert" class={isLost ? 'banner row' : 'unseen'}>
      {isLost && (
        <>
          <p>The gateway does not answer. It may be restarting, or you are offline.</p>
          <Button class="quiet" label="Retry" aria-disabled={isBusy} onClick={retry} />
        </>
      )}
    </div>
  );
}
