import type { FunctionComponent } from 'preact';
import { Docs } from './docs/docs.tsx';
import { HeaderTools } from './header.tsx';
import { isUnreachable } from './parts/connectivity.ts';
import { Failure } from './parts/failure.tsx';
import { useReloadable } from './parts/hooks.ts';
import { useViewPath } from './router.ts';
import { openSession } from './session.ts';
import { mount, Shell } from './shell.tsx';
import { Try } from './try/search.tsx';

/** A component whose code loads when it is first shown. Until then, a heading with its title. */
const lazy =
  <Props extends object>(title: string, load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> =>
  (props) => {
    const { value: Loaded, error } = useReloadable(load, []);
    if (Loaded) return <Loaded {...props} />;
    return (
      <>
        <h1>{title}</h1>
        {error === undefined ? <p role="status">Loading …</p> : <Failure error={error} />}
        {isUnreachable(error) && <p>This view loads when the gateway answers again.</p>}
      </>
    );
  };

const Routes = lazy('Routes', () => import('./routes/routes.tsx').then((code) => code.Routes));
const WalletView = lazy('Wallet', () => import('./wallet/wallet.tsx').then((code) => code.WalletView));

const App = () => (
  <Shell
    title="Asset gateway"
    viewPath={useViewPath()}
    tools={<HeaderTools />}
    views={[
      { name: 'try', title: 'Try', show: (place) => <Try viewPath={place} /> },
      { name: 'routes', title: 'Routes', show: (place) => <Routes viewPath={place} /> },
      { name: 'wallet', title: 'Wallet', show: () => <WalletView /> },
      { name: 'docs', title: 'Docs', show: () => <Docs /> },
    ]}
  />
);

/** Shown if no key can be created, over plain http from another host or in a browser without Ed25519. */
const NoKey = () => (
  <main>
    <h1>Asset gateway</h1>
    <p>
      This browser cannot create the key that signs each call. Open the page over https or at localhost, in Chrome 137,
      Firefox 129, Safari 17 or later.
    </p>
  </main>
);

openSession().then(
  () => mount(<App />),
  () => mount(<NoKey />),
);
