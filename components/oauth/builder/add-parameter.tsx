'use client';

import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';

const NAME = /^[a-z][a-z0-9_]{0,39}$/;

/** Adds a parameter that the builder does not know. */
export function AddParameter({ onAdd }: { onAdd: (name: string) => void }) {
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
