import { BUILDER_TABS, type BuilderRequest } from '@/lib/oauth/builder/builder-request';
import { controlsWithout, isControlSwitch, switchedOff } from '@/lib/oauth/lab/controls';

/** Never part of a link: what opens something, or ties a flow to a browser. */
const SECRET =
  /^(?:code(?:_verifier)?|client_(?:secret|assertion)|(?:\w+_)?token(?:_hint)?|password|request_uri|state|nonce)$/;
const NAME = /^[a-z][a-z0-9_]{0,39}$/;
const LONGEST = 2_048;
const MOST = 40;
const PREFIX = 'p.';

/** The query of a link that opens the builder with this request, without any secret in it. */
export function toShareQuery(request: BuilderRequest): URLSearchParams {
  const query = new URLSearchParams({ tab: request.tab });
  const off = switchedOff(request.controls);
  if (off.length > 0) query.set('off', off.join(' '));
  if (request.encoding === 'json') query.set('encoding', 'json');
  for (const [name, value] of Object.entries(request.fields)) {
    if (!SECRET.test(name) && NAME.test(name) && value !== '' && value.length <= LONGEST)
      query.set(PREFIX + name, value);
  }
  return query;
}

/** What a link says. A link comes from anybody: what is not known in it is ignored, and a secret in it is not taken. */
export function fromShareQuery(query: URLSearchParams): BuilderRequest {
  const tab = BUILDER_TABS.find((name) => name === query.get('tab')) ?? 'authorize';
  const off = (query.get('off') ?? '').split(' ').filter(isControlSwitch);
  const fields = [...query]
    .filter(([name]) => name.startsWith(PREFIX))
    .map(([name, value]) => [name.slice(PREFIX.length), value] as const)
    .filter(([name, value]) => NAME.test(name) && !SECRET.test(name) && value.length <= LONGEST)
    .slice(0, MOST);
  return {
    tab,
    fields: Object.fromEntries(fields),
    controls: controlsWithout(...off),
    encoding: query.get('encoding') === 'json' ? 'json' : 'form',
  };
}
