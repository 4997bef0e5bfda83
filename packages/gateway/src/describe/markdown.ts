/** Text that Markdown does not read as HTML. */
export const plain = (text: string): string => text.replaceAll('<', '&lt;');

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The lines of a table after an empty line; none without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
  return ['', ...lines];
}
