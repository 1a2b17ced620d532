'use client';

import { Plus } from 'lucide-react';
import { useState } from 'react';
import { DataFields } from '@/components/oauth/builder/data-fields';
import { FieldRow } from '@/components/oauth/builder/field-row';
import { FillButtons } from '@/components/oauth/builder/fill-buttons';
import { type RequestField, requestFields } from '@/components/oauth/builder/request-fields';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { warningsFor } from '@/lib/oauth/builder/warnings';

const NAME = /^[a-z][a-z0-9_]{0,39}$/;

/** Adds a parameter that the builder does not know. */
function AddParameter({ onAdd }: { onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  const add = () => {
    if (!NAME.test(name)) return;
    onAdd(name);
    setName('');
  };
  return (
    <div className="flex items-center gap-1.5">
      <Input
        aria-label="Name of another parameter"
        placeholder="another_parameter"
        className="h-7 w-40 font-mono text-xs"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.metaKey || event.ctrlKey) return;
          event.preventDefault();
          add();
        }}
        spellCheck={false}
        autoComplete="off"
      />
      <Button variant="ghost" size="sm" onClick={add} disabled={!NAME.test(name)}>
        <Plus aria-hidden /> Add
      </Button>
    </div>
  );
}

/** The parameters of the current request, all of them editable. */
export function RequestForm({ wide }: { wide: boolean }) {
  const { state, dispatch, request } = useBuilder();
  const { issuer } = useLab();
  const [all, setAll] = useState(false);
  const { tab } = state;
  const values = state.fields[tab];
  const known = requestFields(tab, issuer);
  const added: RequestField[] = Object.keys(values)
    .filter((name) => !known.some((field) => field.name === name))
    .map((name) => ({ name, hint: 'A parameter of your own.' }));
  const shown = [...known, ...added].filter((field) => all || !field.rare || values[field.name]);
  const warnings = warningsFor(request);
  if (tab === 'data') return <DataFields />;
  return (
    <div
      className={
        wide ? 'grid content-start gap-x-5 gap-y-3.5 @2xl:grid-cols-2 @6xl:grid-cols-1' : 'flex flex-col gap-3.5'
      }
    >
      {shown.map((field) => (
        <FieldRow
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          onChange={(value) => dispatch({ type: 'fill', tab, fields: { [field.name]: value } })}
          warning={warnings.find((warning) => warning.field === field.name)?.text}
          actions={<FillButtons name={field.name} />}
        />
      ))}
      <div className="col-span-full flex flex-wrap items-center gap-x-3 gap-y-2">
        {known.some((field) => field.rare && !values[field.name]) ? (
          <Button variant="ghost" size="sm" onClick={() => setAll(!all)} aria-expanded={all}>
            {all ? 'Fewer parameters' : 'More parameters'}
          </Button>
        ) : null}
        <AddParameter onAdd={(name) => dispatch({ type: 'fill', tab, fields: { [name]: values[name] || 'value' } })} />
      </div>
    </div>
  );
}
