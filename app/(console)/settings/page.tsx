import type { Metadata } from 'next';
import { requireMember } from '@/app/(console)/require-member';
import { type Installation, SettingsPage } from '@/components/settings/settings-page';
import { listConfiguredProviders } from '@/lib/auth/next-auth/providers';
import { loadServices } from '@/lib/process/runtime';
import packageFile from '@/package.json';

export const metadata: Metadata = { title: 'Settings' };

/** Returns scheme and host of an address, without credentials, path or query. */
function hideCredentials(address: string): string {
  if (address.startsWith('file:')) return 'embedded file';
  const url = URL.canParse(address) ? new URL(address) : null;
  return url ? `${url.protocol}//${url.host}` : 'unix socket';
}

/** Collects the facts on the settings page. None is secret. */
async function readInstallation(): Promise<Installation> {
  const { config } = await loadServices();
  return {
    version: packageFile.version,
    node: process.version,
    database: hideCredentials(config.DATABASE_URL),
    counters:
      config.REDIS_URL === undefined
        ? `${hideCredentials(config.DATABASE_URL)}, libSQL`
        : `${hideCredentials(config.REDIS_URL)}, Redis`,
    upstream: config.SLUICE_UPSTREAM ?? null,
    trustedProxies: config.SLUICE_TRUSTED_PROXIES,
    ietfHeaders: config.SLUICE_IETF_HEADERS,
    lab: config.SLUICE_LAB,
    mailServer: config.SLUICE_SMTP_URL === undefined ? null : hideCredentials(config.SLUICE_SMTP_URL),
    providers: listConfiguredProviders(config).map((provider) => provider.name),
  };
}

export default async function Page() {
  await requireMember();
  return <SettingsPage installation={await readInstallation()} />;
}
