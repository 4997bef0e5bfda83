import { readFileSync } from 'node:fs';
import type { Reader } from './settings.ts';

function textOf(read: Reader, name: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    read.check(false, `${name}: ${isMissing ? 'no such file as' : 'this user cannot read'} ${path}.`);
    return undefined;
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON object in the file that a variable names; empty where it names none, or where the file has a fault. */
export function readObject(read: Reader, name: string, example: string): Readonly<Record<string, unknown>> {
  const path = read.optional(name);
  const text = path === undefined ? undefined : textOf(read, name, path);
  if (text === undefined) return {};
  const value = parsed(text);
  read.check(value !== undefined, `${name} must be a JSON object such as ${example}.`);
  return value ?? {};
}
