import { render, type VNode } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { hrefOf, type Place } from './router.ts';

/** A view of a page. */
interface View {
  readonly name: string;
  readonly title: string;
  readonly show: (place: Place) => VNode;
}

/** A view, or its error: the other views still work. */
function Shown({ view, place }: { readonly view: View; readonly place: Place }) {
  const [error, showAgain] = useErrorBoundary();
  useEffect(showAgain, [place.rest.join('/')]);
  if (error === undefined) return view.show(place);
  return (
    <p role="alert" class="failure">
      This view failed: {String(error)}. Open another view or reload the page.
    </p>
  );
}

/** Shows a page in place of what it says without scripts. */
export function mount(page: VNode): void {
  const root = document.getElementById('app');
  root?.replaceChildren();
  if (root) render(page, root);
}

/** The frame of a page: a skip link, the navigation and the current view. */
export function Shell({ title, views, place }: { title: string; views: readonly [View, ...View[]]; place: Place }) {
  const view = views.find(({ name }) => name === place.view) ?? views[0];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${view.title} · ${title}`;
    // Moves the focus, so that screen readers announce the new view.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [view.name]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="row">
        <strong class="brand">{title}</strong>
        {views.length > 1 && (
          <nav class="row" aria-label="Views">
            {views.map(({ name, title: label }) => (
              <a key={name} href={hrefOf(name)} aria-current={name === view.name ? 'page' : undefined}>
                {label}
              </a>
            ))}
          </nav>
        )}
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <Shown key={view.name} view={view} place={place} />
      </main>
    </>
  );
}
