import { FormField } from './field.tsx';
import type { FormRow } from './fields.ts';
import { keyOf } from './request.ts';
import { type FormState, type Sending, useForm } from './use-form.ts';

interface FormProps {
  readonly row: FormRow & { readonly path: string };
  /** The first one is what Enter does. */
  readonly sendings: readonly Sending[];
}

function Buttons({ state, sendings }: { readonly state: FormState; readonly sendings: readonly Sending[] }) {
  const { held, isBusy, check, send } = state;
  const [first, ...others] = sendings;
  return (
    <p class="sendings">
      <button type="submit" class="first" aria-disabled={isBusy}>
        {first?.label}
      </button>
      {others.map((sending) => (
        <button key={sending.label} type="button" aria-disabled={isBusy} onClick={() => isBusy || check(sending)}>
          {sending.label}
        </button>
      ))}
      {held && (
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || void send(held)}>
          Send as it is
        </button>
      )}
    </p>
  );
}

/** The form of a row: checked here before it is sent, and by the gateway after. */
export function Form({ row, sendings }: FormProps) {
  const state = useForm(row);
  const [first] = sendings;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (first && !state.isBusy) state.check(first);
  };
  return (
    <form ref={state.form} onSubmit={submit} noValidate>
      {state.fields.map((field, at) => (
        <FormField
          key={keyOf(field)}
          field={field}
          id={`field-${at}`}
          text={state.textOf(field)}
          fault={state.faultOf(field)}
          onText={(text) => state.write(field, text)}
        />
      ))}
      {state.fields.length === 0 && <p class="muted">It takes nothing.</p>}
      {state.elsewhere.map((fault) => (
        <p key={fault} class="fault small">
          {fault}
        </p>
      ))}
      <Buttons state={state} sendings={sendings} />
    </form>
  );
}
