const NONE = '—';
/** Numbers outside of these bounds are written in scientific notation. */
const [LEAST, MOST] = [1e-9, 1e15];

const formatWith = (options: Intl.NumberFormatOptions): ((value: number) => string) => {
  const format = new Intl.NumberFormat('en-US', options);
  return (value) => format.format(value);
};
const scientific = formatWith({ notation: 'scientific', maximumSignificantDigits: 4 });
const cents = formatWith({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const small = formatWith({ maximumSignificantDigits: 4 });
const compact = formatWith({ notation: 'compact', maximumFractionDigits: 1 });

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function sized(value: number, format: (value: number) => string): string {
  const size = Math.abs(value);
  return size !== 0 && (size < LEAST || size >= MOST) ? scientific(value) : format(value);
}

const withSign = (value: number, text: string): string => `${value < 0 ? '-' : ''}$${text}`;

/** A price in US dollars, with significant digits; a dash if it is not a number. */
export function dollars(value: unknown): string {
  if (!isNumber(value)) return NONE;
  const size = Math.abs(value);
  return withSign(value, sized(size, size >= 1 || size === 0 ? cents : small));
}

/** An amount in US dollars as `$1.2M`; a dash if it is not a number. */
export function roughDollars(value: unknown): string {
  return isNumber(value) ? withSign(value, sized(Math.abs(value), compact)) : NONE;
}

/** A number as `1.2M`; a dash if it is not a number. */
export const rough = (value: unknown): string => (isNumber(value) ? sized(value, compact) : NONE);

/** Smaller changes are shown as 0.00. */
const LEAST_CHANGE = 0.005;

/** A change in percent with its sign, and a word for readers who see no colour; undefined if it is not a number. */
export function change(
  value: unknown,
): { readonly text: string; readonly word: 'up' | 'down' | 'unchanged' } | undefined {
  if (!isNumber(value)) return undefined;
  const size = Math.abs(value);
  if (size < LEAST_CHANGE) return { text: '0.00%', word: 'unchanged' };
  const text = `${sized(size, cents)}%`;
  return value > 0 ? { text: `+${text}`, word: 'up' } : { text: `−${text}`, word: 'down' };
}

/** Unix seconds as `2026-08-03 12:00`, in UTC; a dash if they are no date. */
export function utcMinute(seconds: unknown): string {
  const date = new Date(isNumber(seconds) ? seconds * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? NONE : date.toISOString().slice(0, 16).replace('T', ' ');
}

const KIB = 1024;

/** A size as `5.0 MiB`. */
export function bytes(count: number): string {
  if (count < KIB) return `${count} bytes`;
  return count < KIB * KIB ? `${(count / KIB).toFixed(1)} KiB` : `${(count / KIB / KIB).toFixed(1)} MiB`;
}
