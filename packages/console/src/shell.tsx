import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { hrefOf, type Place } from './router.ts';

/** One of the views that a page has. */
export interface View {
  readonly name: string;
  readonly title: string;
  readonly show: (place: Place) => VNode;
}

interface ShellProps {
  readonly title: string;
  readonly views: readonly View[];
  readonly place: Place;
  readonly children?: ComponentChildren;
}

/** A view; one that fails says so and leaves the others alone. */
function Shown({ view, place }: { readonly view: View; readonly place: Place }) {
  const [error, showAgain] = useErrorBoundary();
  useEffect(showAgain, [place.rest.join('/')]);
  if (error === undefined) return view.show(place);
  return (
    <p role="alert" class="failure">
      This view has failed: {String(error)}. Open another one, or load the page again.
    </p>
  );
}

/** The frame of a page: a way past the navigation, the views, and the one that is shown. */
export function Shell({ title, views, place, children }: ShellProps) {
  const view = views.find(({ name }) => name === place.view) ?? views[0];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = view ? `${view.title} · ${title}` : title;
    // Whoever hears the page is told that another view has come.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [view, title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header>
        <strong class="brand">{title}</strong>
        {views.length > 1 && (
          <nav aria-label="Views">
            {views.map(({ name, title: label }) => (
              <a key={name} href={hrefOf(name)} aria-current={name === view?.name ? 'page' : undefined}>
                {label}
              </a>
            ))}
          </nav>
        )}
        {children}
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {view && <Shown key={view.name} view={view} place={place} />}
      </main>
    </>
  );
}
