import { FormField } from './field.tsx';
import { keyOf } from './link.ts';
import type { FormAction, FormState } from './use-form.ts';

interface FormProps {
  readonly state: FormState;
  readonly action: FormAction;
}

function Buttons({ state: { held, isBusy, send }, action }: FormProps) {
  return (
    <p class="sendings">
      <button type="submit" class="first" aria-disabled={isBusy}>
        {action.label}
      </button>
      {held && (
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || void send(held)}>
          Send anyway
        </button>
      )}
      <span role="status" class="small muted">
        {isBusy && 'Waiting for the answer …'}
      </span>
    </p>
  );
}

/** The form of a row, checked here before sending and by the gateway after. */
export function Form({ state, action }: FormProps) {
  const { isBusy, fields, otherFaults } = state;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isBusy) state.check(action);
  };
  return (
    <form ref={state.form} onSubmit={submit} noValidate>
      <h2>Parameters</h2>
      {fields.map((field, at) => (
        <FormField
          key={keyOf(field)}
          field={field}
          id={`field-${at}`}
          text={state.textOf(field)}
          fault={state.faultOf(field)}
          onText={(text) => state.write(field, text)}
        />
      ))}
      {fields.length === 0 && <p class="muted">This route takes no parameters.</p>}
      {otherFaults.map((fault) => (
        <p key={fault} class="fault small">
          {fault}
        </p>
      ))}
      <Buttons state={state} action={action} />
    </form>
  );
}
