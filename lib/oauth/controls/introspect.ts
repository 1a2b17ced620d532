import { parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { fill } from '@/lib/oauth/assessment/requests';
import { isConfidential } from '@/lib/oauth/assessment/target';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/** Returns what the introspection endpoint says of a token. Empty if it says nothing to the clients of the target. */
export async function introspect(
  probe: Probe,
  token: string,
  label = 'Introspect the token',
): Promise<Record<string, unknown>> {
  const client = probe.listClients().find(isConfidential);
  const endpoint = await probe.requireEndpoint('introspection_endpoint', client).catch(ignoreUndecided);
  if (client === undefined || endpoint === null) return {};
  const { fields, ...options } = await probe.createClientCredentials(client);
  const init = { method: 'POST', body: fill({ ...fields, token }) };
  return parseResponseJson(await probe.send(label, endpoint, init, options));
}
