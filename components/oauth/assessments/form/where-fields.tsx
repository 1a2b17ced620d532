import { useController, useFormContext } from 'react-hook-form';
import { TextField } from '@/components/form/fields/text-field';
import { CitedText } from '@/components/format/cited-text';
import { type AssessmentValues, ENDPOINT_NAMES, ENDPOINTS } from '@/components/oauth/assessments/form/form-values';
import { useHasLab } from '@/components/shell/member';
import { Segmented } from '@/components/ui/segmented';

const WAYS = [
  { value: 'url', label: 'Any address' },
  { value: 'issuer', label: 'Issuer' },
  { value: 'resource_url', label: 'MCP server or API' },
  { value: 'endpoints', label: 'Endpoints' },
  { value: 'lab', label: 'Built-in lab' },
] as const;

const WORDS: Record<AssessmentValues['where'], string> = {
  url: 'Sluice finds what the address is, registers clients if the server offers that, and removes them at the end. You sign in once.',
  issuer: 'The authorization server. Its metadata, keys, TLS and headers are judged without any client.',
  resource_url: 'A protected resource: its challenge and metadata (RFC 9728) lead to its authorization server.',
  endpoints: 'Entered by hand: for a server that publishes no metadata, or wrong metadata.',
  lab: 'Our own server, in a sandbox. Switch controls off to see what fails.',
};

/** Selects the address of the server: any, an issuer, a protected resource, manual endpoints, or the lab. */
export function WhereFields() {
  const { control } = useFormContext<AssessmentValues>();
  const { field } = useController({ control, name: 'where' });
  const where = field.value;
  const hasLab = useHasLab();
  const address = { control, code: true, type: 'url', inputMode: 'url', autoComplete: 'off' } as const;
  return (
    <>
      <div className="flex flex-col gap-2">
        <Segmented
          label="Kind of target"
          value={where}
          onChange={field.onChange}
          options={hasLab ? WAYS : WAYS.filter(({ value }) => value !== 'lab')}
          className="max-sm:grid max-sm:h-auto max-sm:w-full max-sm:grid-cols-2"
        />
        <p className="text-sm text-muted-foreground">
          <CitedText>{WORDS[where]}</CitedText>
        </p>
      </div>
      {where === 'url' ? (
        <TextField
          {...address}
          name="url"
          label="Issuer, MCP server or protected resource"
          large
          placeholder="https://mcp.example.com/mcp"
        />
      ) : null}
      {where === 'issuer' ? (
        <TextField {...address} name="issuer" label="Issuer" large placeholder="https://login.example.com" />
      ) : null}
      {where === 'resource_url' ? (
        <TextField
          {...address}
          name="resource_url"
          label="URL of the resource"
          large
          placeholder="https://mcp.example.com/mcp"
        />
      ) : null}
      {where === 'endpoints' ? (
        <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
          <TextField {...address} name="issuer" label="Issuer" optional placeholder="https://login.example.com" />
          {ENDPOINT_NAMES.map((name) => (
            <TextField key={name} {...address} name={`endpoints.${name}`} label={ENDPOINTS[name]} optional />
          ))}
        </div>
      ) : null}
    </>
  );
}
