import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Field } from '@/components/form/fields/field';
import { CitedText } from '@/components/format/cited-text';
import { AddParameter } from '@/components/oauth/add-parameter';
import { setField } from '@/components/oauth/builder/builder-state';
import { buildRequestFields, type RequestField } from '@/components/oauth/builder/request/request-fields';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { VERBATIM } from '@/components/oauth/verbatim-field';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { toast } from '@/components/ui/toast';
import { OTHER_SERVICE } from '@/lib/contract/lab-paths';
import { listRequestWarnings } from '@/lib/oauth/builder/builder-request';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { generateRandomText } from '@/lib/oauth/pkce';

/** Form for the authorization or token request. Every parameter is editable. */
export function RequestForm() {
  const { state, request, fill } = useBuilder();
  const [all, setAll] = useState(false);
  const { tab, controls } = state;
  const values = request.fields;
  const described = buildRequestFields(tab, { ...useLab(), controls });
  const added = Object.keys(values)
    .filter((name) => !described.some((field) => field.name === name))
    .map((name): RequestField => ({ name, hint: 'A custom parameter.' }));
  const shown = [...described, ...added].filter((field) => all || !field.rare || values[field.name]);
  return (
    <div className="flex flex-col gap-3.5">
      {shown.map((field) => (
        <ParameterField key={field.name} field={field} />
      ))}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {described.some((field) => field.rare && !values[field.name]) ? (
          <Button variant="ghost" size="sm" onClick={() => setAll(!all)} aria-expanded={all}>
            {all ? 'Fewer parameters' : 'More parameters'}
          </Button>
        ) : null}
        <AddParameter
          names={/^[a-z][a-z0-9_]{0,39}$/}
          onAdd={(name) => fill(tab, { [name]: values[name] || 'value' })}
        />
      </div>
    </div>
  );
}

/** Field of one parameter, with its hint, its fill-in button, and a warning if the value weakens the request. */
export function ParameterField({ field, readOnly }: { field: RequestField; readOnly?: boolean }) {
  const { state, request, fill } = useBuilder();
  const { name, hint, choices } = field;
  const value = request.fields[name] ?? '';
  return (
    <Field
      label={<span className="font-mono text-xs">{name}</span>}
      hint={
        <>
          <CitedText>{hint}</CitedText>
          {/* The input shows the raw value, so invisible characters need a note. */}
          {escapeInvisibleCharacters(value) === value ? '' : ' Contains invisible characters.'}
          <FieldWarning field={name} />
        </>
      }
    >
      {(ids) => (
        <div className="flex flex-wrap gap-1.5">
          <Input
            {...ids}
            className="min-w-[min(100%,22rem)] flex-1 font-mono text-xs"
            value={value}
            readOnly={readOnly}
            onChange={(event) => fill(state.tab, setField(name, event.target.value))}
            list={choices ? `${ids.id}-choices` : undefined}
            {...VERBATIM}
          />
          {field.fill ? <FillButton name={name} fill={field.fill} /> : null}
          {choices ? (
            <datalist id={`${ids.id}-choices`}>
              {choices.map((choice) => (
                <option key={choice} value={choice} />
              ))}
            </datalist>
          ) : null}
        </div>
      )}
    </Field>
  );
}

function FillButton({ name, fill: [label, from] }: { name: string; fill: NonNullable<RequestField['fill']> }) {
  const { state, fill, freshen } = useBuilder();
  const { tab, flow } = state;
  const generatePair = async () => {
    if (await freshen(['code_challenge'])) fill('authorize', { code_challenge_method: 'S256' });
    else toast.error('This page has no cryptography', { description: 'Open it over https or on localhost.' });
  };
  const generate = () => (name === 'state' ? void freshen(['state']) : fill(tab, { [name]: generateRandomText() }));
  const value = from === 'random' || from === 'pkce' ? null : from === 'otherService' ? OTHER_SERVICE : flow[from];
  return (
    <Button
      variant="outline"
      onClick={() =>
        from === 'pkce' ? void generatePair() : value === null ? generate() : fill(tab, { [name]: value })
      }
      disabled={value === ''}
      title={value === '' ? 'Nothing to fill in yet' : undefined}
    >
      {label}
    </Button>
  );
}

/** Shows the builder's warning for a field. */
export function FieldWarning({ field }: { field: string }) {
  const warning = listRequestWarnings(useBuilder().request).find((candidate) => candidate.field === field);
  return warning ? (
    <p className="mt-1 flex items-start gap-1.5 text-xs text-warning-text">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span>{warning.text}</span>
    </p>
  ) : null;
}
