/** Shown in place of an unknown figure. */
export const UNKNOWN = '–';
/** Numbers outside these bounds use scientific notation. */
const [LEAST, MOST] = [1e-9, 1e15];

/** Returns a function that formats numbers. Its first call makes the format, because that takes longer than using it. */
function formatWith(options: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    format ??= new Intl.NumberFormat('en-US', options);
    return format.format(value);
  };
}
const scientific = formatWith({ notation: 'scientific', maximumSignificantDigits: 4 });
const cents = formatWith({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const small = formatWith({ maximumSignificantDigits: 4 });
const compact = formatWith({ notation: 'compact', maximumFractionDigits: 1 });

/** Whether a value is a finite number. */
export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function sized(value: number, format: (value: number) => string): string {
  const size = Math.abs(value);
  return size !== 0 && (size < LEAST || size >= MOST) ? scientific(value) : format(value);
}

const withSign = (value: number, text: string): string => `${value < 0 ? '-' : ''}$${text}`;

/** Returns a price in US dollars: cents from $1, four significant digits below. */
export function priceFigure(value: unknown): string {
  if (!isNumber(value)) return UNKNOWN;
  const size = Math.abs(value);
  return withSign(value, sized(size, size >= 1 || size === 0 ? cents : small));
}

/** Returns an amount in US dollars as `$1.2M`. */
export const amountFigure = (value: unknown): string =>
  isNumber(value) ? withSign(value, sized(Math.abs(value), compact)) : UNKNOWN;

/** Returns a number as `1.2M`. */
export const compactFigure = (value: unknown): string => (isNumber(value) ? sized(value, compact) : UNKNOWN);

/** Smaller changes are shown as 0.00. */
const LEAST_CHANGE = 0.005;

/** Returns a change in percent with its sign, such as `+3.46%`. */
export function changeFigure(value: unknown): string {
  if (!isNumber(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (size < LEAST_CHANGE) return '0.00%';
  return `${value > 0 ? '+' : '-'}${sized(size, cents)}%`;
}

/** Unix seconds as `2026-08-03 12:00` in UTC, or as the date alone. */
export function momentText(seconds: unknown, hasTime = true): string {
  const date = new Date(isNumber(seconds) ? seconds * 1000 : Number.NaN);
  if (Number.isNaN(date.getTime())) return UNKNOWN;
  const text = date.toISOString();
  return hasTime ? text.slice(0, 16).replace('T', ' ') : text.slice(0, 10);
}
