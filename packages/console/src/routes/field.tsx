import type { Field } from './fields.ts';

interface FieldProps {
  readonly field: Field;
  readonly id: string;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

function boundsOf({ kind, schema }: Field): string {
  const { minimum, maximum, maxItems, maxLength } = schema;
  if (kind === 'number' && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return `${minimum} to ${maximum}.`;
  if (kind === 'list') return `One per line${maxItems === undefined ? '' : `, at most ${maxItems}`}.`;
  if (kind === 'json') return 'As JSON.';
  return kind === 'text' && maxLength !== undefined ? `At most ${maxLength} characters.` : '';
}

function Input({ field, id, text, fault, onText }: FieldProps) {
  const { kind, schema, isRequired } = field;
  const shared = {
    id,
    value: text,
    'aria-describedby': `${id}-hint${fault ? ` ${id}-fault` : ''}`,
    'aria-invalid': fault !== undefined,
    'aria-required': isRequired,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => onText(currentTarget.value),
  } as const;
  if (kind === 'choice' || kind === 'flag')
    return (
      <select {...shared}>
        <option value="">{isRequired ? 'Choose' : 'Leave out'}</option>
        {(schema.enum ?? ['true', 'false']).map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    );
  if (kind === 'list' || kind === 'json') return <textarea {...shared} rows={3} spellcheck={false} />;
  return <input {...shared} inputMode={kind === 'number' ? 'numeric' : 'text'} autocomplete="off" spellcheck={false} />;
}

/** A field with its name, its description and its error. */
export function FormField(props: FieldProps) {
  const { field, id, fault } = props;
  return (
    <div class="field">
      <label for={id}>
        <code>{field.name}</code> {field.isRequired && <span class="muted small">required</span>}
      </label>
      <Input {...props} />
      <p id={`${id}-hint`} class="small muted">
        {field.schema.description} {boundsOf(field)}
      </p>
      {fault !== undefined && (
        <p id={`${id}-fault`} class="fault small">
          {fault}
        </p>
      )}
    </div>
  );
}
