import { ArrowLeft, History } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import type { Command as Item, Stage } from '@/components/palette/command';
import { groupCommands, rank } from '@/components/palette/rank';
import { readRecent, remember } from '@/components/palette/recent';
import { useConsoleCommands } from '@/components/palette/use-console-commands';
import { useIdentityCommands } from '@/components/palette/use-identity-commands';
import { usePageCommands } from '@/components/palette/use-page-commands';
import { useResourceCommands } from '@/components/palette/use-resource-commands';
import { describeMissingRole, useRank } from '@/components/shell/member';
import { stopTypingAhead } from '@/components/shell/type-ahead';
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from '@/components/ui/command';
import { Dialog, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { Kbd } from '@/components/ui/kbd';

/** Maximum number of lines shown. A search with more matches is too vague. */
const MOST = 40;

export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent className="max-w-xl overflow-hidden [&>button:last-child]:hidden">
        <DialogTitle className="sr-only">Command palette</DialogTitle>
        <DialogDescription className="sr-only">Search pages, keys, identifiers and operations.</DialogDescription>
        <PaletteContent close={onClose} />
      </DialogContent>
    </Dialog>
  );
}

function PaletteContent({ close }: { close: () => void }) {
  const router = useRouter();
  const [search, setSearch] = useState('');
  const moved = useRef(false);
  const [stage, setStage] = useState<Stage | null>(null);
  const commands = useCommands(search, stage);
  // The best match stays selected while results arrive, until an arrow key or the pointer selects another.
  const [chosen, setChosen] = useState<string | null>(null);
  const choose = (command: Item) => {
    if (command.stage) {
      setStage(command.stage);
      updateSearch('');
      return;
    }
    if (!command.last) remember(selectStored(command));
    close();
    if (command.href) router.push(command.href);
    else command.run?.();
  };
  const updateSearch = (text: string) => {
    setSearch(text);
    setChosen(null);
  };
  const goBack = () => {
    setStage(null);
    updateSearch('');
  };
  // Runs after the input is focused, because focusing it would select the text.
  useEffect(() => {
    const timer = setTimeout(() => {
      const typed = stopTypingAhead();
      if (typed !== '') setSearch((since) => typed + since);
    });
    return () => clearTimeout(timer);
  }, []);
  return (
    <Command
      label="Command palette"
      loop
      shouldFilter={false}
      value={chosen ?? commands[0]?.id ?? ''}
      onValueChange={(id) => moved.current && setChosen(id)}
      onPointerMove={() => {
        moved.current = true;
      }}
      onKeyDown={(event) => {
        moved.current = event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End';
        if (stage && event.key === 'Backspace' && search === '') goBack();
      }}
    >
      {stage ? (
        <button
          type="button"
          onClick={goBack}
          className="flex items-center gap-1.5 border-b bg-muted/50 px-4 py-1.5 text-left text-xs text-muted-foreground hover:text-foreground"
        >
          <ArrowLeft aria-hidden className="size-3.5" /> {stage.title}
        </button>
      ) : null}
      <CommandInput value={search} onValueChange={updateSearch} placeholder={choosePlaceholder(stage)} />
      <CommandList>
        <CommandEmpty>{search === '' ? 'Type to search.' : 'Nothing found.'}</CommandEmpty>
        {groupCommands(commands).map(([heading, items]) => (
          <CommandGroup key={heading} heading={heading}>
            {items.map((item) => (
              <Line key={item.id} command={item} onChoose={() => choose(item)} />
            ))}
          </CommandGroup>
        ))}
      </CommandList>
    </Command>
  );
}

/** Returns the part of a command that is stored: a page, or an operation without its object. */
function selectStored({ id, label, href }: Item): { id: string; label: string; href?: string } {
  return href ? { id, label, href } : { id: /^(?:key|identity)\.\w+/.exec(id)?.[0] ?? id, label };
}

function choosePlaceholder(stage: Stage | null): string {
  if (stage === null) return 'Search pages, keys, addresses, actions…';
  return stage.of === 'key' ? 'Which key?' : 'Which address or user?';
}

function Line({ command, onChoose }: { command: Item; onChoose: () => void }) {
  const { icon: Icon, label, note, keys, needs = 'viewer' } = command;
  const may = useRank() >= describeMissingRole(needs).rank;
  return (
    <CommandItem value={command.id} disabled={!may} onSelect={onChoose}>
      <Icon aria-hidden />
      <span className="min-w-0 truncate">{label}</span>
      <span className="ml-auto flex shrink-0 gap-1 pl-3 text-xs text-muted-foreground">
        {may ? note : describeMissingRole(needs).words}
        {may && keys ? (
          <span aria-hidden className="flex gap-1">
            {keys.split(' ').map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </span>
        ) : null}
      </span>
    </CommandItem>
  );
}

/** Returns the commands for a search, best first. An empty search offers recent and common commands. */
function useCommands(search: string, stage: Stage | null): Item[] {
  const [text, setText] = useState(search);
  useEffect(() => {
    const timer = setTimeout(() => setText(search), 120);
    return () => clearTimeout(timer);
  }, [search]);
  const resources = useResourceCommands(text, stage);
  const identities = useIdentityCommands(search, text, stage);
  const pages = usePageCommands();
  const browser = useConsoleCommands();
  const [recent] = useState(readRecent);
  if (stage?.of === 'identity') return identities.staged;
  if (stage) return (search.trim() === '' ? resources.staged : rank(resources.staged, search, [])).slice(0, MOST);
  const operations = [...identities.verbs, ...resources.verbs, ...browser];
  if (search.trim() === '') {
    const available = [...pages, ...operations];
    const used = recent.flatMap(({ id, label, href }): Item[] => {
      const command = available.find((each) => each.id === id);
      if (command) return [{ ...command, group: 'Recent' }];
      return href ? [{ id, label, href, group: 'Recent', icon: History }] : [];
    });
    const ids = new Set(used.map(({ id }) => id));
    return [...used, ...available.filter(({ id }) => !ids.has(id))];
  }
  const all = [...pages, ...operations, ...resources.named, ...identities.found];
  return rank(
    all,
    search,
    recent.map(({ id }) => id),
  )
    .filter(({ id }, place, found) => found.findIndex((other) => other.id === id) === place)
    .slice(0, MOST);
}
