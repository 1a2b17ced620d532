import { Ban, Gauge, KeyRound, LifeBuoy, type LucideIcon, Pencil, Plus, RefreshCw, RotateCcw } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { KEY_DIALOGS, type KeyDialogKind } from '@/components/keys/key-actions';
import type { Command, Stage } from '@/components/palette/command';
import { createChangesCommand } from '@/components/palette/create-changes-command';
import { extractName } from '@/components/palette/extract-name';
import { useDialog } from '@/components/shell/dialogs';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { type ApiKeyWithUsage, listApiKeys } from '@/lib/contract/keys';

interface KeyVerb {
  kind: KeyDialogKind | 'help';
  /** Text before the name of a key. */
  label: string;
  /** Text of the command without a key. */
  alone: string;
  icon: LucideIcon;
  keywords: readonly string[];
  needs?: MemberRole;
}

const VERBS: readonly KeyVerb[] = [
  {
    kind: 'help',
    label: 'Help',
    alone: 'Help a client',
    icon: LifeBuoy,
    keywords: ['why', 'explain', 'refused'],
  },
  {
    kind: 'tier',
    label: 'Change tier of',
    alone: 'Change the tier of a key',
    icon: Gauge,
    keywords: ['quota', 'plan', 'limit'],
    needs: 'operator',
  },
  {
    kind: 'grant',
    label: 'Grant requests to',
    alone: 'Grant requests to a key',
    icon: Plus,
    keywords: ['quota', 'more', 'add', 'raise'],
    needs: 'operator',
  },
  {
    kind: 'reset',
    label: 'Reset usage of',
    alone: 'Reset the usage of a key',
    icon: RotateCcw,
    keywords: ['quota', 'month', 'clear'],
    needs: 'operator',
  },
  {
    kind: 'rotate',
    label: 'Rotate secret of',
    alone: 'Rotate the secret of a key',
    icon: RefreshCw,
    keywords: ['renew', 'replace'],
    needs: 'owner',
  },
  {
    kind: 'edit',
    label: 'Edit',
    alone: 'Edit a key',
    icon: Pencil,
    keywords: ['rename', 'expiry', 'overage'],
    needs: 'owner',
  },
  {
    kind: 'revoke',
    label: 'Revoke',
    alone: 'Revoke a key',
    icon: Ban,
    keywords: ['delete', 'remove', 'end'],
    needs: 'owner',
  },
];

/** Finds keys whose name, prefix or id contains a word of the search. `all` returns the whole first page. */
function useKeys(search: string, all: boolean): readonly ApiKeyWithUsage[] {
  const q = extractName(search).slice(0, 256);
  const { data } = useCall(
    ['api-keys', 'palette', q],
    listApiKeys,
    { query: { q, limit: '20', sort: 'name' } },
    { enabled: all || q.length >= 2, staleTime: 15_000 },
  );
  return data?.value ?? [];
}

/** Commands for keys found by name. */
export function useKeyCommands(search: string, stage: Stage | null) {
  const keys = useKeys(search, stage?.of === 'key');
  const open = useDialog();
  const { help } = useSubjectActions();
  const act = (kind: KeyVerb['kind'], apiKey: ApiKeyWithUsage) => () => {
    if (kind === 'help') return help({ type: 'api_key', identifier: apiKey.id });
    const Dialog = KEY_DIALOGS[kind];
    open((onClose) => <Dialog apiKey={apiKey} onClose={onClose} />);
  };
  const command = ({ kind, label, icon, keywords, needs }: KeyVerb, key: ApiKeyWithUsage): Command => ({
    id: `key.${kind}:${key.id}`,
    group: 'Keys',
    label: `${label} ${key.name}`,
    icon,
    needs,
    keywords: [...keywords, key.prefix, key.id],
    note: kind === 'tier' ? TIER_NAMES[key.tier] : undefined,
    run: act(kind, key),
  });
  const page = (key: ApiKeyWithUsage): Command => ({
    id: `key:${key.id}`,
    group: 'Keys',
    label: key.name,
    icon: KeyRound,
    keywords: ['open', 'api key', key.prefix, key.id],
    note: `${key.prefix}…`,
    href: `/keys/${key.id}`,
  });
  const verbs: Command[] = VERBS.map((verb) => ({
    id: `key.${verb.kind}`,
    group: 'Keys',
    label: verb.alone,
    icon: verb.icon,
    keywords: verb.keywords,
    needs: verb.needs,
    stage: { of: 'key', title: verb.alone, verb: verb.kind },
  }));
  const named = keys.flatMap((key) => [
    page(key),
    ...VERBS.map((verb) => command(verb, key)),
    createChangesCommand({ group: 'Keys', keywords: [key.prefix, key.id] }, key.id, key.name),
  ]);
  const asked = stage?.of === 'key' ? VERBS.find(({ kind }) => kind === stage.verb) : undefined;
  return {
    verbs,
    named: search.trim().length >= 2 ? named : [],
    /** The staged operation for each key. */
    staged: asked ? keys.map((key) => command(asked, key)) : [],
  };
}
