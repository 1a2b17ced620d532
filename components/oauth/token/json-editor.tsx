import type { ReactNode } from 'react';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { isJsonObject, type JsonObject } from '@/lib/json';
import { formatPosition, readJson } from '@/lib/oauth/token/read-json';

/** Parses the JSON object in a text, or says what is wrong and at which position. */
export function readMembers(text: string): { members: JsonObject; problem: null } | { members: null; problem: string } {
  const { value, error, duplicates } = readJson(text);
  const [wrong = duplicates[0]] = error === null ? [] : [error];
  if (wrong !== undefined) return { members: null, problem: `${wrong.message} (${formatPosition(text, wrong.at)})` };
  return isJsonObject(value)
    ? { members: value, problem: null }
    : { members: null, problem: 'A JSON object is expected.' };
}

interface JsonEditorProps {
  label: string;
  hint?: ReactNode;
  text: string;
  onChange: (text: string) => void;
}

export function JsonEditor({ text, ...field }: JsonEditorProps) {
  return (
    <VerbatimField
      {...field}
      value={text}
      multiline
      error={readMembers(text).problem ?? undefined}
      className="max-h-96 leading-5"
    />
  );
}
