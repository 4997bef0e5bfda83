import { render } from 'preact';
import { Operate } from './operate/operate.tsx';
import { Shell } from './shell.tsx';

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(
    <Shell
      title="Asset gateway"
      views={[{ name: 'operate', title: 'Operate', show: () => <Operate /> }]}
      place={{ view: 'operate', rest: [], query: '' }}
    />,
    root,
  );
}
