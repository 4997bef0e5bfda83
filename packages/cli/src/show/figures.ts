const STYLES = {
  compact: { notation: 'compact', maximumFractionDigits: 1 },
  large: { minimumFractionDigits: 2, maximumFractionDigits: 2 },
  small: { maximumSignificantDigits: 4 },
} as const;

const formats = new Map<keyof typeof STYLES, Intl.NumberFormat>();

/** Loads the locale lazily: piped commands format no numbers. */
function formatted(value: number, style: keyof typeof STYLES): string {
  const format = formats.get(style) ?? new Intl.NumberFormat('en', STYLES[style]);
  formats.set(style, format);
  return format.format(value);
}

const NONE = '–';

export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** A price in dollars: two decimals from $1, four significant digits below. */
export function price(value: unknown): string {
  if (!isNumber(value)) return NONE;
  return `$${Math.abs(value) >= 1 || value === 0 ? formatted(value, 'large') : formatted(value, 'small')}`;
}

/** A compact amount in dollars. */
export const amount = (value: unknown): string => (isNumber(value) ? `$${formatted(value, 'compact')}` : NONE);

/** A compact number. */
export const count = (value: unknown): string => (isNumber(value) ? formatted(value, 'compact') : NONE);

/** A signed change in percent. */
export const change = (value: unknown): string =>
  isNumber(value) ? `${value > 0 ? '+' : ''}${value.toFixed(2)}%` : NONE;

/** A date in UTC, or date and minute. */
export function moment(seconds: unknown, withTime = false): string {
  if (!isNumber(seconds) || Math.abs(seconds) > 8.64e12) return NONE;
  const text = new Date(seconds * 1000).toISOString();
  return withTime ? text.slice(0, 16).replace('T', ' ') : text.slice(0, 10);
}
