/** Opens the folded section that an address names, where the browser does not, and all of them on request. */
(() => {
  const sections = [...document.querySelectorAll('details.entry')];
  if (sections.length === 0) return;

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const section = target?.closest('details.entry');
    if (!section || section.open) return;
    section.open = true;
    target.scrollIntoView();
  }

  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'open-all';
  const areOpen = () => sections.every(({ open }) => open);
  const name = () => {
    button.textContent = areOpen() ? 'Close all sections' : 'Open all sections';
  };
  button.addEventListener('click', () => {
    const open = !areOpen();
    for (const section of sections) section.open = open;
    name();
  });
  name();
  document.querySelector('main h1').before(button);
  addEventListener('hashchange', openTarget);
  openTarget();
})();
