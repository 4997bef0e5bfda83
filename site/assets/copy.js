/** Gives each block of code a button that copies it. */
const SHOWN_MS = 2000;

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const outcome = await navigator.clipboard.writeText(block.querySelector('code').textContent).then(
      () => 'Copied',
      () => 'Select and copy by hand',
    );
    button.textContent = outcome;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SHOWN_MS);
  });
  block.append(button);
}
