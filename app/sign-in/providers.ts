import { runtime } from '@/lib/runtime';

/** The providers that are configured beside e-mail and password. */
export async function signInProviders(): Promise<{ id: string; name: string }[]> {
  const { config } = await runtime();
  const providers: { id: string; name: string }[] = [];
  if (config.GITHUB_CLIENT_ID) providers.push({ id: 'github', name: 'GitHub' });
  if (config.OIDC_CLIENT_ID) providers.push({ id: 'oidc', name: config.OIDC_NAME });
  return providers;
}
