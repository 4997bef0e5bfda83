import { render } from 'preact';
import { Shell } from './shell.tsx';

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(
    <Shell
      title="Operate"
      views={[{ name: 'operate', title: 'Operate', show: () => <h1>Operate</h1> }]}
      place={{ view: 'operate', rest: [] }}
    />,
    root,
  );
}
