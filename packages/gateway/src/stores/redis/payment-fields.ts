import type { PaymentProgress, PaymentRecord } from '../payments.ts';

/** The members of a record as fields and values in turn; those that are not there are left out. */
export function fieldsOf(members: Partial<PaymentRecord>): string[] {
  return Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
}

/** A record from what a script answers: its progress, and its fields and values in turn. */
export function recordOf(reply: unknown): PaymentRecord | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [progress, flat] = reply as [PaymentProgress, string[]];
  const fields: Record<string, string> = {};
  for (let index = 0; index < flat.length; index += 2) fields[flat[index] ?? ''] = flat[index + 1] ?? '';
  const { leasedUntil, height, resolvedAtMs, forgetAtMs, owed, memo, ...texts } = fields;
  return {
    ...(texts as unknown as PaymentRecord),
    progress,
    memo,
    ...(height !== undefined && { height: Number(height) }),
    ...(resolvedAtMs !== undefined && { resolvedAtMs: Number(resolvedAtMs) }),
    ...(forgetAtMs !== undefined && { forgetAtMs: Number(forgetAtMs) }),
    ...(owed !== undefined && { owed: owed === '1' }),
  };
}
