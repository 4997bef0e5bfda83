import { type ComponentChildren, render, type VNode } from 'preact';
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import { Button } from './parts/button.tsx';
import { connectivity } from './parts/connectivity.ts';
import { useEvent, useShown } from './parts/hooks.ts';
import { plain } from './parts/text.ts';
import { ThemeSwitch } from './parts/theme.tsx';
import { hrefOf, type ViewPath } from './router.ts';

/** A view of a page. */
interface View {
  readonly name: string;
  readonly title: string;
  readonly show: (viewPath: ViewPath) => VNode;
}

type Views = readonly [View, ...View[]];

/** A view, or its error. The other views still work. */
function Shown({ view, viewPath }: { readonly view: View; readonly viewPath: ViewPath }) {
  const [error, showAgain] = useErrorBoundary();
  useEffect(showAgain, [viewPath.rest.join('/')]);
  if (error === undefined) return view.show(viewPath);
  return (
    <p role="alert" class="failure">
      This view failed: {String(error)}. Open another view or reload the page.
    </p>
  );
}

/** Shows a page in place of the text for browsers without scripts. */
export function mount(page: VNode): void {
  const root = document.getElementById('app');
  root?.replaceChildren();
  if (root) render(page, root);
}

/** An address without a view. */
const notFound = (views: Views): View => ({
  name: '',
  title: 'Not found',
  show: ({ view }) => (
    <div class="empty">
      <h1>There is no page at this address</h1>
      <p>
        <code>#/{plain(view)}</code> is not a page of this gateway. The address may be mistyped.
      </p>
      <p class="row">
        {views.map(({ name, title }) => (
          <a key={name} class="button" href={hrefOf(name)}>
            {title}
          </a>
        ))}
      </p>
    </div>
  ),
});

/** Moves the focus to the view's search. Returns false if no search is visible. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main search input');
  if (!field || field.offsetParent === null) return false;
  field.focus();
  field.select();
  return true;
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, select');

const isSearchKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !altKey && (ctrlKey || metaKey ? key.toLowerCase() === 'k' : key === '/' && !isField(target));

/** `/` and Ctrl+K focus the view's search. Without one, they open the first view to focus its search. */
function useSearchKeys(first: View): { current: boolean } {
  const isWanted = useRef(false);
  useEvent<KeyboardEvent>(window, 'keydown', (event) => {
    if (!isSearchKey(event)) return;
    event.preventDefault();
    if (focusSearch()) return;
    isWanted.current = true;
    location.hash = hrefOf(first.name);
  });
  return isWanted;
}

const Logo = () => (
  <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
    <path d="M4 6a2 2 0 0 1 2-2h20a2 2 0 0 1 2 2v22h-5V9H9v19H4zM15 14h2v14h-2zM12 18h2v6h-2zm6-1h2v8h-2z" />
  </svg>
);

/** A line over every view while the gateway does not answer. When it is back, everything that failed loads again. */
function Banner() {
  const isLost = useShown(connectivity, 'change', () => connectivity.isLost);
  const [isBusy, setBusy] = useState(false);
  const retry = (): void => {
    setBusy(true);
    void connectivity.retry().then(() => setBusy(false));
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

interface ShellProps {
  readonly title: string;
  readonly views: Views;
  readonly viewPath: ViewPath;
  /** Shown at the end of the header. */
  readonly tools?: ComponentChildren;
}

type HeaderProps = Pick<ShellProps, 'title' | 'views' | 'tools'> & { readonly current: string };

const Header = ({ title, views, tools, current }: HeaderProps) => (
  <header>
    <strong class="brand">
      <Logo /> <span>{title}</span>
    </strong>
    {views.length > 1 && (
      <nav aria-label="Views">
        {views.map(({ name, title: label }) => (
          <a key={name} href={hrefOf(name)} aria-current={name === current ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
    )}
    <div class="tools">
      {tools}
      <ThemeSwitch />
    </div>
    <Banner />
  </header>
);

/** A page's frame: a skip link, the header with navigation, and the current view. */
export function Shell({ title, views, viewPath, tools }: ShellProps) {
  const [first] = views;
  const view = viewPath.view === '' ? first : (views.find(({ name }) => name === viewPath.view) ?? notFound(views));
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const isSearchWanted = useSearchKeys(first);
  useEffect(() => {
    document.title = `${view.title} · ${title}`;
    // Moves the focus to the new view, so that screen readers announce it. The view starts at its top, below the header.
    if (!isFirst.current) scrollTo(0, 0);
    if (!isFirst.current && !isSearchWanted.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [view.name]);
  useEffect(() => {
    if (isSearchWanted.current && focusSearch()) isSearchWanted.current = false;
  });
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Header title={title} views={views} tools={tools} current={view.name} />
      <main id="main" tabIndex={-1} ref={main}>
        <Shown key={view.name} view={view} viewPath={viewPath} />
      </main>
    </>
  );
}
