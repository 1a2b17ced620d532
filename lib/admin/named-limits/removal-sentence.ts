import { countUses } from '@/lib/admin/named-limits/stored';
import type { Context } from '@/lib/operation/context';

const plural = (many: number, thing: string) => `${many} ${thing}${many === 1 ? '' : 's'}`;

/** Says who names a limit that is removed. */
export async function removalSentence({ services }: Context, name: string): Promise<string> {
  const { route_rules: rules, api_keys: keys } = (await countUses(services.database))(name);
  if (rules + keys === 0) return 'No route rule and no API key names it. Checks that name it get 400.';
  return `${plural(rules, 'route rule')} and ${plural(keys, 'API key')} name it and go on without it. Checks that name it get 400.`;
}
