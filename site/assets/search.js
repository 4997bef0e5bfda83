/** Searches the pages in the browser. The index is loaded when the search opens, from files that also work from disk. */
(() => {
  const ROOT = new URL('.', document.currentScript.src);
  const MOST_RESULTS = 12;
  const AROUND = 70;
  const OPTIONS = {
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'group', 'url', 'text'],
    searchOptions: { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 }, combineWith: 'AND' },
  };

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const input = element('input', { type: 'search', autocomplete: 'off', placeholder: 'Search the documentation' });
  input.setAttribute('aria-label', 'Search the documentation');
  const status = element('p', { className: 'status' });
  status.setAttribute('role', 'status');
  const results = element('ol');
  const close = element('button', { type: 'button', textContent: 'Close' });
  const dialog = element(
    'dialog',
    { id: 'site-search' },
    element('div', { className: 'bar' }, input, close),
    status,
    results,
  );
  dialog.setAttribute('aria-label', 'Search');
  document.body.append(dialog);

  const load = (name) =>
    new Promise((resolve, reject) => {
      const script = element('script', { src: new URL(name, ROOT).href, onload: resolve });
      script.onerror = () => reject(new Error(`${name} could not be loaded`));
      document.head.append(script);
    });

  let opening;
  const openIndex = () => {
    opening ??= Promise.all([load('minisearch.js'), load('search-index.js')]).then(() => {
      const index = new globalThis.MiniSearch(OPTIONS);
      index.addAll(globalThis.searchSections.map((section, id) => ({ id, ...section })));
      return index;
    });
    return opening;
  };

  /** The part of a text around the first term, with the term marked. */
  function excerptOf(text, terms) {
    const found = terms.map((term) => text.toLowerCase().indexOf(term)).find((at) => at >= 0);
    if (found === undefined) return [text.slice(0, 2 * AROUND)];
    const term = terms.find((each) => text.toLowerCase().startsWith(each, found));
    const from = found > AROUND ? text.indexOf(' ', found - AROUND) + 1 : 0;
    const end = found + term.length;
    const marked = element('mark', { textContent: text.slice(found, end) });
    return [
      `${from > 0 ? '… ' : ''}${text.slice(from, found)}`,
      marked,
      text.slice(end, text.indexOf(' ', end + AROUND) + 1 || undefined),
    ];
  }

  function itemOf({ title, page, group, url, text, terms }) {
    const place = [group, page].filter((part) => part && part !== title).join(' / ');
    const lines = [
      element('strong', { textContent: title }),
      element('span', { className: 'place', textContent: place }),
      element('span', { className: 'excerpt' }, ...excerptOf(text, terms)),
    ];
    return element('li', {}, element('a', { href: new URL(url, ROOT).href }, ...lines));
  }

  let last = 0;
  async function show() {
    last += 1;
    const turn = last;
    const query = input.value.trim();
    const hits = query === '' ? [] : (await openIndex()).search(query);
    if (turn !== last) return;
    results.replaceChildren(...hits.slice(0, MOST_RESULTS).map(itemOf));
    const count = `${hits.length} ${hits.length === 1 ? 'result' : 'results'}`;
    const none = `Nothing found for “${query}”. Try fewer or other words.`;
    status.textContent = query === '' ? '' : hits.length === 0 ? none : count;
  }
  const fail = ({ message }) => {
    opening = undefined;
    status.textContent = `${message}. The list of all pages still works.`;
  };

  function open() {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    openIndex().catch(fail);
  }

  /** Moves the focus among the field and the results. */
  function move(step) {
    const stops = [input, ...results.querySelectorAll('a')];
    stops[Math.max(0, Math.min(stops.length - 1, stops.indexOf(document.activeElement) + step))].focus();
  }

  const STEPS = { ArrowDown: 1, ArrowUp: -1 };
  input.addEventListener('input', () => show().catch(fail));
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    // A press beside the window, or on a result of the page that is open.
    if (target === dialog || target.closest('a')) dialog.close();
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key in STEPS) {
      event.preventDefault();
      move(STEPS[event.key]);
    } else if (event.key === 'Enter' && event.target === input) results.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select, [contenteditable]');
    const isAsked = event.key === '/' ? !isTyping : event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isAsked || (event.key === '/' && (event.ctrlKey || event.metaKey || event.altKey))) return;
    event.preventDefault();
    open();
  });
  const button = document.querySelector('#open-search');
  button.hidden = false;
  button.addEventListener('click', open);
})();
