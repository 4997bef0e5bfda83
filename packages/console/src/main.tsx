import { type FunctionComponent, render } from 'preact';
import { Failure } from './parts/failure.tsx';
import { useAnswer } from './parts/use-call.ts';
import { usePlace } from './router.ts';
import { openSession, type Session } from './session.ts';
import { Shell, type View } from './shell.tsx';
import { Try } from './try/search.tsx';

/** A component whose code loads when it is first shown. */
function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let loading: Promise<FunctionComponent<Props>> | undefined;
  return (props) => {
    const code = useAnswer(() => {
      loading ??= load();
      return loading;
    }, []);
    if (code.is === 'waiting') return <p role="status">Loading …</p>;
    if (code.is === 'failed') return <Failure error={code.error} />;
    const { value: Loaded } = code;
    return <Loaded {...props} />;
  };
}

const Routes = lazy(() => import('./routes/routes.tsx').then((code) => code.Routes));
const WalletView = lazy(() => import('./wallet/wallet.tsx').then((code) => code.WalletView));

function viewsOf(session: Session): View[] {
  return [
    { name: 'try', title: 'Try', show: (place) => <Try session={session} place={place} /> },
    { name: 'routes', title: 'Routes', show: (place) => <Routes session={session} place={place} /> },
    { name: 'wallet', title: 'Wallet', show: () => <WalletView session={session} /> },
  ];
}

function App({ views }: { readonly views: readonly View[] }) {
  return <Shell title="Asset gateway" views={views} place={usePlace()} />;
}

/** Shown if no key can be created: over plain http from another host, or in a browser without Ed25519. */
const NoKey = () => (
  <main>
    <h1>Asset gateway</h1>
    <p>
      This browser cannot create the key that signs each call. Open the page over https or at localhost, in Chrome 137,
      Firefox 129, Safari 17 or later.
    </p>
  </main>
);

const root = document.getElementById('app');
const session = await openSession().catch(() => undefined);
if (root) {
  root.replaceChildren();
  render(session ? <App views={viewsOf(session)} /> : <NoKey />, root);
}
