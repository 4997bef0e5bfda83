import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { plural } from '../parts/format.ts';
import type { Field, Schema } from './fields.ts';
import { type FormState, fieldKeyOf } from './use-form.ts';

interface FieldProps {
  readonly state: FormState;
  readonly field: Field;
  readonly id: string;
}

function numberText({ type, minimum, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  const name = type === 'integer' ? 'integer' : 'number';
  if (maximum < Number.MAX_SAFE_INTEGER) return `${name}, ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined ? name : `${name}, at least ${minimum}`;
}

/** A field's type and bounds, such as `integer, 1 to 50`. */
function typeText({ kind, schema }: Field): string {
  const { maxItems, maxLength, enum: words } = schema;
  if (kind === 'number') return numberText(schema);
  if (kind === 'choice') return `one of ${words?.length}`;
  if (kind === 'flag') return 'boolean';
  if (kind === 'list') return `list, one per line${maxItems === undefined ? '' : `, at most ${maxItems}`}`;
  if (kind === 'json') return 'JSON';
  return maxLength === undefined ? 'string' : `string, at most ${maxLength} characters`;
}

function Input({ state, field, id }: FieldProps) {
  const { kind, schema, isRequired } = field;
  const [text, fault] = [state.textOf(field), state.faultOf(field)];
  const shared = {
    id,
    value: text,
    'aria-describedby': `${id}-hint${fault ? ` ${id}-fault` : ''}`,
    'aria-invalid': fault !== undefined,
    'aria-required': isRequired,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      state.write(field, currentTarget.value),
  } as const;
  if (kind === 'choice' || kind === 'flag') {
    const words = schema.enum?.map(String) ?? ['true', 'false'];
    return (
      <select {...shared}>
        <option value="">{isRequired ? 'Choose' : 'Not set'}</option>
        {[...words, ...(text === '' || words.includes(text) ? [] : [text])].map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    );
  }
  if (kind === 'list' || kind === 'json') return <textarea {...shared} rows={3} spellcheck={false} />;
  return (
    <input
      {...shared}
      inputMode={kind === 'number' ? (schema.type === 'number' ? 'decimal' : 'numeric') : 'text'}
      autocomplete="off"
      spellcheck={false}
    />
  );
}

/** A parameter: its name, type, bounds and description beside its input. */
function FormField(props: FieldProps) {
  const { state, field, id } = props;
  const fault = state.faultOf(field);
  const { name, label, isRequired, place, schema } = field;
  return (
    <div class="field">
      <div>
        <label for={id}>
          <code>{label}</code> {isRequired && <span class="required small">required</span>}
        </label>
        <p id={`${id}-hint`} class="small">
          <span class="muted">
            {label === name ? place : <code>{name}</code>}, {typeText(field)}
          </span>
          {schema.description && <span>{schema.description}</span>}
          {schema.default !== undefined && <span>Default: {String(schema.default)}</span>}
        </p>
      </div>
      <div>
        <Input {...props} />
        {fault !== undefined && (
          <p id={`${id}-fault`} class="fault small">
            {fault}
          </p>
        )}
      </div>
    </div>
  );
}

/** A form with more fields folds those that are optional and empty. */
const MANY = 8;

/** All fields. A long form folds those that are optional and empty at first, until one has a fault. */
function Fields({ state }: { readonly state: FormState }) {
  const { fields } = state;
  const [isFolded] = useState(() => {
    const keys = fields.filter((field) => !field.isRequired && state.textOf(field) === '').map(fieldKeyOf);
    return new Set(fields.length > MANY ? keys : []);
  });
  const folded = fields.filter((field) => isFolded.has(fieldKeyOf(field)));
  const show = (field: Field) => (
    <FormField key={fieldKeyOf(field)} state={state} field={field} id={`field-${fields.indexOf(field)}`} />
  );
  return (
    <>
      {fields.filter((field) => !folded.includes(field)).map(show)}
      {folded.length > 0 && (
        <details class="folded" open={folded.some((field) => state.faultOf(field) !== undefined)}>
          <summary>{plural(folded.length, 'more parameter')}</summary>
          {folded.map(show)}
        </details>
      )}
    </>
  );
}

interface FormProps {
  readonly state: FormState;
  /** The text of the button. */
  readonly label: string;
  /** Beside the button. */
  readonly children?: ComponentChildren;
}

/** A row's form. The page checks it before sending, the gateway afterwards. Its button stays in view. */
export function Form({ state, label, children }: FormProps) {
  const { isHeld, isBusy, fields, otherFaults, send } = state;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isBusy) state.check();
  };
  return (
    <form ref={state.form} onSubmit={submit} noValidate>
      <h2>Parameters</h2>
      <Fields state={state} />
      {fields.length === 0 && <p class="muted">This route takes no parameters.</p>}
      {otherFaults.map((fault) => (
        <p key={fault} class="fault small">
          {fault}
        </p>
      ))}
      <div class="row sendings">
        <button type="submit" class="first" aria-disabled={isBusy}>
          {label}
        </button>
        {isHeld && <Button aria-disabled={isBusy} label="Send anyway" onClick={() => isBusy || void send()} />}
        <span role="status" class="small muted waiting">
          {isBusy && 'Waiting for the answer …'}
        </span>
        {!isBusy && children}
      </div>
    </form>
  );
}
