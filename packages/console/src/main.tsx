import { render } from 'preact';
import { usePlace } from './router.ts';
import { Routes } from './routes/routes.tsx';
import { openSession, type Session } from './session.ts';
import { Shell, type View } from './shell.tsx';
import { Try } from './try/try.tsx';

function viewsOf(session: Session): View[] {
  return [
    { name: 'try', title: 'Try', show: (place) => <Try session={session} place={place} /> },
    { name: 'routes', title: 'Routes', show: (place) => <Routes session={session} place={place} /> },
  ];
}

function App({ views }: { readonly views: readonly View[] }) {
  return <Shell title="Asset gateway" views={views} place={usePlace()} />;
}

const root = document.getElementById('app');
const session = await openSession();
if (root) {
  root.replaceChildren();
  render(<App views={viewsOf(session)} />, root);
}
