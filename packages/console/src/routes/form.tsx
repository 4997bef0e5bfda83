import { FormField } from './field.tsx';
import type { FormRow } from './fields.ts';
import { type FormAction, type FormState, keyOf, useForm } from './use-form.ts';

interface FormProps {
  readonly row: FormRow & { readonly path: string };
  /** Enter presses the first one. */
  readonly actions: readonly FormAction[];
}

function Buttons({ state, actions }: { readonly state: FormState; readonly actions: readonly FormAction[] }) {
  const { held, isBusy, check, send } = state;
  const [first, ...others] = actions;
  return (
    <p class="sendings">
      <button type="submit" class="first" aria-disabled={isBusy}>
        {first?.label}
      </button>
      {others.map((action) => (
        <button key={action.label} type="button" aria-disabled={isBusy} onClick={() => isBusy || check(action)}>
          {action.label}
        </button>
      ))}
      {held && (
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || void send(held)}>
          Send anyway
        </button>
      )}
    </p>
  );
}

/** The form of a row, checked here before sending and by the gateway after. */
export function Form({ row, actions }: FormProps) {
  const state = useForm(row);
  const [first] = actions;
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
      {state.fields.length === 0 && <p class="muted">No parameters.</p>}
      {state.otherFaults.map((fault) => (
        <p key={fault} class="fault small">
          {fault}
        </p>
      ))}
      <Buttons state={state} actions={actions} />
    </form>
  );
}
