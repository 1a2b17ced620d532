import { countUses } from '@/lib/admin/named-limits/stored';
import type { Context } from '@/lib/operation/context';

const formatPlural = (many: number, thing: string) => `${many} ${thing}${many === 1 ? '' : 's'}`;

/** Describes the rules, keys and overrides that still name a limit when it is removed. */
export async function describeLimitRemoval({ services, now }: Context, name: string): Promise<string> {
  const { route_rules: rules, api_keys: keys, overrides } = (await countUses(services.database, now))(name);
  const things = [
    [rules, 'route rule'],
    [keys, 'API key'],
    ...(overrides === 0 ? [] : [[overrides, 'override'] as const]),
  ] as const;
  const refused = 'Checks that name it get 400.';
  if (rules + keys + overrides === 0) return `No route rule and no API key names it. ${refused}`;
  const words = new Intl.ListFormat('en-GB').format(things.map(([many, thing]) => formatPlural(many, thing)));
  return `${words} name it and go on without it. ${refused}`;
}
