import type { Issue } from '@asset-gateway/protocol';
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { exampleOf, type Field, type FormRow, faultOf, fieldsOf } from './fields.ts';
import { concerns, type FormRequest, keyOf, requestOf, type Texts } from './request.ts';

/** A button that sends, and what it does. */
export interface Sending {
  readonly label: string;
  readonly send: (request: FormRequest) => Promise<readonly Issue[]>;
}

/** A form as it is now, and what can be done with it. */
export interface FormState {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly fields: readonly Field[];
  readonly isBusy: boolean;
  /** What was held back because it is plainly wrong, and may be sent all the same. */
  readonly held: Sending | undefined;
  /** What the gateway finds wrong with no field in particular. */
  readonly elsewhere: readonly string[];
  textOf(field: Field): string;
  faultOf(field: Field): string | undefined;
  write(field: Field, text: string): void;
  /** Sends what nothing is plainly wrong with. */
  check(sending: Sending): void;
  send(sending: Sending): Promise<void>;
}

type Faults = Readonly<Record<string, string>>;

/** What is wrong with the fields, by their keys, as this finds it. */
function faultsBy(fields: readonly Field[], find: (field: Field) => string | undefined): Faults {
  const found = fields.map((field) => [keyOf(field), find(field)] as const);
  return Object.fromEntries(found.flatMap(([key, fault]) => (fault ? [[key, fault]] : [])));
}

/** What the gateway finds wrong with no field that the form has. */
const unplaced = (fields: readonly Field[], issues: readonly Issue[]): string[] =>
  issues
    .filter((issue) => !fields.some((field) => concerns(field, issue)))
    .map(({ name, message }) => `${name}: ${message}`);

const examples = (fields: readonly Field[], row: FormRow): Texts =>
  Object.fromEntries(fields.map((field) => [keyOf(field), exampleOf(field, row)]));

/** What is written into the form of a row, what is wrong with it, and how it is sent. */
export function useForm(row: FormRow & { readonly path: string }): FormState {
  const fields = fieldsOf(row);
  const [texts, setTexts] = useState(() => examples(fields, row));
  const [faults, setFaults] = useState<Faults>({});
  const [elsewhere, setElsewhere] = useState<readonly string[]>([]);
  const [held, setHeld] = useState<Sending>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const textOf = (field: Field): string => texts[keyOf(field)] ?? '';

  const show = (found: Faults): void => {
    setFaults(found);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const send = async ({ send: sendNow }: Sending): Promise<void> => {
    setHeld(undefined);
    setBusy(true);
    const issues = await sendNow(requestOf(row, fields, texts));
    setBusy(false);
    setElsewhere(unplaced(fields, issues));
    show(faultsBy(fields, (field) => issues.find((issue) => concerns(field, issue))?.message));
  };
  const check = (sending: Sending): void => {
    const found = faultsBy(fields, (field) => faultOf(field, textOf(field)));
    if (!Object.keys(found).length) return void send(sending);
    setHeld(sending);
    show(found);
  };
  const write = (field: Field, text: string): void => setTexts((before) => ({ ...before, [keyOf(field)]: text }));
  const state = { form, fields, isBusy, held, elsewhere };
  return { ...state, textOf, faultOf: (field) => faults[keyOf(field)], write, check, send };
}
