import { Plus } from 'lucide-react';
import { useState } from 'react';
import { VERBATIM } from '@/components/oauth/verbatim-field';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';

interface AddParameterProps {
  /** Names that are allowed. */
  names: RegExp;
  onAdd: (name: string) => void;
}

/** Adds a parameter with a custom name to a request. */
export function AddParameter({ names, onAdd }: AddParameterProps) {
  const [name, setName] = useState('');
  const valid = names.test(name);
  const add = () => {
    if (!valid) return;
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
        {...VERBATIM}
      />
      <Button variant="ghost" size="sm" onClick={add} disabled={!valid}>
        <Plus aria-hidden /> Add
      </Button>
    </div>
  );
}
