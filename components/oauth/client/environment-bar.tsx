import { Download, Link2, Plus, Save, Trash2, Upload } from 'lucide-react';
import { type ChangeEvent, useEffect, useId, useRef, useState } from 'react';
import { useClient } from '@/components/oauth/client/use-client';
import { copyText } from '@/components/oauth/copy-text';
import { useHasLab } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/checkbox';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { NativeSelect } from '@/components/ui/native-select';
import { toast } from '@/components/ui/toast';
import {
  buildEmptyEnvironment,
  buildLabEnvironments,
  type ClientEnvironment,
  formatShareQuery,
  readEnvironment,
  removeSecrets,
} from '@/lib/oauth/client/environment';
import { forgetEnvironment, keepEnvironment, readEnvironments } from '@/lib/oauth/client/kept-environments';

const UNKEPT = '';

/** Selects, saves, deletes, exports and imports environments. */
export function EnvironmentBar() {
  const { origin, state, set, choose } = useClient();
  const { environment } = state;
  const [stored, setStored] = useState<readonly ClientEnvironment[]>([]);
  const ids = useId();
  const labs = useHasLab() ? buildLabEnvironments(origin) : [];
  const reread = () => setStored(readEnvironments(openStorage()));
  useEffect(() => setStored(readEnvironments(openStorage())), []);

  const environments = [...labs, ...stored];
  const chosen = environments.some(({ name }) => name === environment.name) ? environment.name : UNKEPT;
  const isLab = labs.some(({ name }) => name === environment.name);
  const isKept = !isLab && chosen !== UNKEPT;
  const saveEnvironment = () => {
    try {
      keepEnvironment(openStorage(), environment);
      reread();
      toast.success('Environment kept in this browser', {
        description: environment.keep_secret ? 'With its secret and key.' : 'Without secret and key.',
      });
    } catch {
      toast.error('The storage of this browser is full.');
    }
  };
  const forget = () => {
    forgetEnvironment(openStorage(), environment.name);
    reread();
    toast.success('Environment forgotten');
  };
  return (
    <section
      aria-label="Environment"
      className="flex flex-wrap items-end gap-x-3 gap-y-3 rounded-lg border bg-card p-4"
    >
      <div className="flex min-w-44 flex-col gap-1.5 max-sm:w-full">
        <Label htmlFor={`${ids}-choice`}>Environment</Label>
        <NativeSelect
          id={`${ids}-choice`}
          className="h-8"
          value={chosen}
          options={[
            ...environments.map(({ name }) => ({ value: name, label: name })),
            ...(chosen === UNKEPT ? [{ value: UNKEPT, label: 'Not kept yet' }] : []),
          ]}
          onChange={({ target }) => {
            const next = environments.find(({ name }) => name === target.value);
            if (next) void choose(next);
          }}
        />
      </div>
      <Button variant="outline" onClick={() => void choose(buildEmptyEnvironment(origin))}>
        <Plus aria-hidden /> Another server
      </Button>
      {isLab ? null : (
        <>
          <div className="flex min-w-40 flex-1 flex-col gap-1.5">
            <Label htmlFor={`${ids}-name`}>Name</Label>
            <Input
              id={`${ids}-name`}
              value={environment.name}
              placeholder="Staging"
              maxLength={100}
              onChange={({ target }) => set({ name: target.value })}
            />
          </div>
          <div className="flex h-8 items-center gap-2">
            <Checkbox
              id={`${ids}-secret`}
              checked={environment.keep_secret}
              onCheckedChange={(checked) => set({ keep_secret: checked === true })}
            />
            <Label htmlFor={`${ids}-secret`}>Keep secret and key too</Label>
          </div>
          <Button variant="outline" onClick={saveEnvironment} disabled={environment.name.trim() === ''}>
            <Save aria-hidden /> Keep
          </Button>
        </>
      )}
      {isKept ? (
        <Button variant="ghost" onClick={forget}>
          <Trash2 aria-hidden /> Forget
        </Button>
      ) : null}
      <span className="ml-auto flex flex-wrap gap-1 max-sm:ml-0">
        <Button variant="ghost" onClick={() => download(environment)}>
          <Download aria-hidden /> Export
        </Button>
        <ImportButton onImport={(imported) => void choose(imported)} />
        <Button variant="ghost" onClick={() => void copyLink(environment)}>
          <Link2 aria-hidden /> Copy link
        </Button>
      </span>
    </section>
  );
}

function ImportButton({ onImport }: { onImport: (environment: ClientEnvironment) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const text = await target.files?.[0]?.text();
    target.value = '';
    if (text === undefined) return;
    const environment = readEnvironment(text);
    if (environment === null) toast.error('The file holds no environment.');
    else onImport(environment);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="File with an environment"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => void read(event)}
      />
      <Button variant="ghost" onClick={() => input.current?.click()}>
        <Upload aria-hidden /> Import
      </Button>
    </>
  );
}

/** Returns this browser's storage, or an empty one if storage is missing or refused. */
function openStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return window.localStorage;
  } catch {
    return {
      getItem: () => null,
      setItem: () => {
        throw new Error('This browser keeps nothing.');
      },
    };
  }
}

function download(environment: ClientEnvironment): void {
  const text = `${JSON.stringify(removeSecrets(environment), null, 2)}\n`;
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const name = environment.name.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'environment';
  Object.assign(document.createElement('a'), { href: address, download: `${name}.oauth-client.json` }).click();
  URL.revokeObjectURL(address);
}

function copyLink(environment: ClientEnvironment): Promise<void> {
  const link = `${window.location.origin}/oauth/client?${formatShareQuery(environment)}`;
  return copyText(link, 'Link copied', 'It opens the client with this environment and holds no secret.');
}
