import type { Issue } from '@asset-gateway/protocol';
import { useRef, useState } from 'preact/hooks';
import { FormField } from './field.tsx';
import { exampleOf, type Field, type FormRow, faultOf, fieldsOf } from './fields.ts';
import { concerns, type FormRequest, keyOf, requestOf, type Texts } from './request.ts';

/** A button that sends, and what it does. */
export interface Sending {
  readonly label: string;
  readonly send: (request: FormRequest) => Promise<readonly Issue[]>;
}

interface FormProps {
  readonly row: FormRow & { readonly path: string };
  readonly sendings: readonly Sending[];
}

const examples = (fields: readonly Field[], row: FormRow): Texts =>
  Object.fromEntries(fields.map((field) => [keyOf(field), exampleOf(field, row)]));

function ownFaults(fields: readonly Field[], texts: Texts): Record<string, string> {
  const found = fields.map((field) => [keyOf(field), faultOf(field, texts[keyOf(field)] ?? '')] as const);
  return Object.fromEntries(found.flatMap(([key, fault]) => (fault ? [[key, fault]] : [])));
}

function faultsIn(fields: readonly Field[], issues: readonly Issue[]): Record<string, string> {
  const found = fields.map((field) => [keyOf(field), issues.find((issue) => concerns(field, issue))?.message] as const);
  return Object.fromEntries(found.flatMap(([key, fault]) => (fault ? [[key, fault]] : [])));
}

/** The form of a row: checked here before it is sent, and by the gateway after. */
export function Form({ row, sendings }: FormProps) {
  const fields = fieldsOf(row);
  const [texts, setTexts] = useState(() => examples(fields, row));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [held, setHeld] = useState<Sending>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const show = (found: Record<string, string>): void => {
    setFaults(found);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const send = async (sending: Sending): Promise<void> => {
    setHeld(undefined);
    setBusy(true);
    const issues = await sending.send(requestOf(row, fields, texts));
    setBusy(false);
    show(faultsIn(fields, issues));
  };
  const check = (sending: Sending): void => {
    const found = ownFaults(fields, texts);
    if (Object.keys(found).length === 0) return void send(sending);
    setHeld(sending);
    show(found);
  };
  const [first] = sendings;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (first && !isBusy) check(first);
  };

  return (
    <form ref={form} onSubmit={submit} noValidate>
      {fields.map((field, at) => (
        <FormField
          key={keyOf(field)}
          field={field}
          id={`field-${at}`}
          text={texts[keyOf(field)] ?? ''}
          fault={faults[keyOf(field)]}
          onText={(text) => setTexts((before) => ({ ...before, [keyOf(field)]: text }))}
        />
      ))}
      {fields.length === 0 && <p class="muted">It takes nothing.</p>}
      <p class="sendings">
        {sendings.map((sending, at) => (
          <button
            key={sending.label}
            type={at === 0 ? 'submit' : 'button'}
            class={at === 0 ? 'first' : undefined}
            disabled={isBusy}
            onClick={at === 0 ? undefined : () => check(sending)}
          >
            {sending.label}
          </button>
        ))}
        {held && (
          <button type="button" disabled={isBusy} onClick={() => void send(held)}>
            Send as it is
          </button>
        )}
      </p>
    </form>
  );
}
