import { parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';

/** Returns the UserInfo endpoint of the metadata, or null. */
export async function findUserinfo(probe: Probe): Promise<string | null> {
  const { userinfo_endpoint: url } = await probe.fetchServerMetadata();
  return typeof url === 'string' && URL.canParse(url) ? url : null;
}

/** Presents a token at the UserInfo endpoint. It is accepted if the answer has a subject. */
export async function presentAtUserinfo(
  probe: Probe,
  label: string,
  url: string,
  token: string,
  {
    inQuery = false,
    headers = {},
  }: { inQuery?: boolean | undefined; headers?: Record<string, string> | undefined } = {},
) {
  const address = new URL(url);
  if (inQuery) address.searchParams.set('access_token', token);
  const authorization: Record<string, string> = inQuery ? {} : { authorization: `Bearer ${token}` };
  const exchange = await probe.send(label, address.href, { headers: { ...authorization, ...headers } });
  const accepted = exchange.response.status === 200 && parseResponseJson(exchange).sub !== undefined;
  if (accepted) probe.recordSuccess(exchange, 'access');
  return { accepted, exchange };
}
