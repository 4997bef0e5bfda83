import { Code } from './code.tsx';
import type { Sample } from './samples.ts';
import { Tabs } from './tabs.tsx';

/** Samples of one call, a tab for each client. */
export const SampleTabs = ({ samples }: { readonly samples: readonly Sample[] }) => (
  <Tabs
    label="Client"
    tabs={samples.map(({ title, text, note }) => ({
      title,
      show: () => (
        <>
          <Code label={title} text={text} />
          {note && <p class="small muted note">{note}</p>}
        </>
      ),
    }))}
  />
);
