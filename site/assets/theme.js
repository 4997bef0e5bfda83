/** Lets the reader choose light or dark. Without a choice the pages follow the system. Loaded before the page is drawn. */
(() => {
  const KEY = 'theme';
  const CHOICES = ['system', 'light', 'dark'];
  const root = document.documentElement;

  /** Storage throws where the reader forbids it; the choice then lasts for the page. */
  const stored = (action) => {
    try {
      return action(localStorage);
    } catch {
      return null;
    }
  };

  let choice = stored((storage) => storage.getItem(KEY));
  if (!CHOICES.includes(choice)) choice = 'system';

  /** Pictures with a dark variant follow the system by themselves. */
  function showPictures() {
    const media = { system: '(prefers-color-scheme: dark)', light: 'not all', dark: 'all' }[choice];
    for (const source of document.querySelectorAll('picture > source')) source.media = media;
  }

  function apply() {
    root.dataset.theme = choice;
    showPictures();
  }

  function showSwitch() {
    const button = document.querySelector('#site-theme');
    const label = button.querySelector('span');
    const name = () => {
      label.textContent = choice.charAt(0).toUpperCase() + choice.slice(1);
      button.setAttribute('aria-label', `Theme: ${choice}`);
    };
    button.addEventListener('click', () => {
      choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
      stored((storage) => storage.setItem(KEY, choice));
      apply();
      name();
    });
    name();
    button.hidden = false;
  }

  apply();
  document.addEventListener('DOMContentLoaded', () => {
    showPictures();
    showSwitch();
  });
  // Another tab has changed the choice.
  addEventListener('storage', ({ key }) => {
    if (key === KEY) location.reload();
  });
})();
