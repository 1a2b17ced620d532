'use client';

import { useState } from 'react';
import { AddParameter } from '@/components/oauth/builder/add-parameter';
import { DataFields } from '@/components/oauth/builder/data-fields';
import { FieldRow } from '@/components/oauth/builder/field-row';
import { FillButtons } from '@/components/oauth/builder/fill-buttons';
import { type RequestField, requestFields } from '@/components/oauth/builder/request-fields';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { Button } from '@/components/ui/button';
import { warningsFor } from '@/lib/oauth/builder/warnings';

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
          warning={warnings.find((one) => one.field === field.name)?.text}
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
